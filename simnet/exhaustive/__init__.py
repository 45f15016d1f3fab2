"""The exhaustive reading: every coin is played out, and views get their exact laws.

The modules, from one party to the law of a view:

    tape        a coin, and the tape of outcomes that one party's coins play
    reading     what stands for field elements while coins are played out: unknowns
    outbox      what one party sends and waits for
    party_tree  all states of one party, by its history
    network     the messages between parties in one joint history
    model       all joint histories (worlds) of a protocol, and the tree of their schedules
    views       what a coalition sees of a world, and the exact law of that
    law         laws, and how far two of them are apart
    compare     a view on two inputs, or on all neighbours of one
    simulation  a real view against a simulated one
"""
