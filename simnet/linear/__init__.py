"""Linear algebra over prime fields, which the symbolic and the exhaustive reading share.

Two halves. What a script computes with, many forms at once::

    unknowns     what forms are about: coins, secrets, opaque numbers
    terms        sparse linear forms, as rows of arrays
    forms        field arrays whose elements are linear forms
    form_totals  their running totals, for summed messages
    modular      arithmetic mod q on arrays

And what is then asked about the forms, one vector at a time::

    vectors      sparse vectors, and solving triangular systems of them
    span         the span of vectors, in reduced echelon form
    elimination  which combinations of messages are free of coins
    peeling      its steps that need no arithmetic
    pivoting     its pivots, sparse and dense
"""
