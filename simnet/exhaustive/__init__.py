"""The exhaustive reading: every coin is played out, and views get their exact laws.

The modules, from one party to the law of a view:

    reading     what stands for field elements while coins are played out: unknowns
    outbox      what one party sends and waits for
    party_tree  all states of one party, by its history
    network     the messages between parties in one joint history
    model       all joint histories (worlds) of a protocol, and the tree of their schedules
    views       what a coalition sees of a world, and the exact law of that
    bases       views where a coalition cannot tell how messages were made
    compare     a view on two inputs, or on all neighbours of one
    simulation  a real view against a simulated one

Coins that play a tape of outcomes, and laws, stand in `simnet.coins`, in `tape` and `law`.
"""
