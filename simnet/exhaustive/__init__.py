"""The exhaustive reading: discrete coins are played out, and views get their exact laws.

The modules, from one party to the law of a view::

    reading     unknowns, which represent field elements while coins are played out
    outbox      the messages that one party sends, and its requests for messages
    party_tree  all states of one party, by its history
    network     the messages between parties in one joint history
    model       all joint histories (worlds) of a protocol, and the tree of their schedules
    views       the view of a coalition in a world, and the exact law of this view
    bases       views of a coalition that does not know the linear forms of its messages
    compare     comparing the views on two inputs, or on all neighbours of one input
    simulation  comparing a real view with a simulated view

"""
