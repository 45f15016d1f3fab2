"""The exhaustive reading: every coin is played out, and views get their exact laws.

The modules, from one party to the law of a view::

    reading     what stands for field elements while coins are played out: unknowns
    outbox      what one party sends and waits for
    party_tree  all states of one party, by its history
    network     the messages between parties in one joint history
    model       all joint histories (worlds) of a protocol, and the tree of their schedules
    views       what a coalition sees of a world, and the exact law of this view
    bases       views of a coalition that cannot tell how messages were made
    compare     a view on two inputs, or on all neighbours of one input
    simulation  a real view compared with a simulated view

`simnet.coins.tape` has coins that play a tape of outcomes, and `simnet.coins.law` has laws.
"""
