"""What honest parties disclose: the law of the values of their doors, found by calling the doors.

The modules, from one call to the statement about a whole run::

    calling       the law of a function of discrete coins, by every tape, within a budget of calls
    door_law      the law of a door given its arguments, found once for all doors that are alike
    rows          the field elements that doors are given, as linear forms
    components    which doors are connected, and which doors tell nothing
    laws          the joint law of a component given its inputs, and two losses computed from it
    disclosed     all components together, beside what shares tell
    refusals      whether a door may refuse, and whether a refusal tells anything
    witness       two inputs that show that shares tell more than the output
    surroundings  what the coalition's view says about the rows that doors were given
    door_judge    what the doors of the runs that a judge has read tell a coalition
"""
