"""What honest parties disclose: the exact law of what their doors give, found by calling them.

The modules, from one call to the statement about a whole run:

    calling       the law of a function of discrete coins, by every tape, within a budget of calls
    door_law      the law of a door given its arguments, found once for all doors that are alike
    rows          what doors are given of field elements, as linear forms
    components    which doors hang together, and which say nothing of their own
    laws          the joint law of a component given its inputs, and two losses taken from it
    disclosed     all components together, beside what shares tell
    refusals      whether a door may refuse, and whether that tells anything
    in_full       whether a door gives back all the numbers it was given
    witness       two inputs that show that shares tell more than the output
    surroundings  what the coalition's view says of the rows that doors were given
    door_judge    all of this for the runs that a judge has read
"""
