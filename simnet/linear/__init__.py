"""Linear algebra over prime fields, which the symbolic and the exhaustive reading share.

Some modules represent linear forms and compute with them::

    unknowns     the unknowns in forms: coins, secrets, products, random rows
    seeds        seeds, secret keys and keys of boxes, as forms
    terms        sparse linear forms, many at once, as rows of terms
    mixtures     rows that are public combinations of a few rows, not written out
    ranges       rows in which many consecutive unknowns occur, not written out
    forms        field arrays whose elements are linear forms
    form_totals  running totals of such arrays, for summed messages
    modular      arithmetic mod q on arrays

Other modules do linear algebra with rows and vectors::

    vectors      sparse vectors, and solving triangular systems of them
    span         the span of vectors, in echelon form
    reduction    rows with the same span, mostly fewer and shorter, in place of mixtures
    elimination  finds the combinations of messages in which all coins cancel
    peeling      the first steps of elimination, which are cheap
    pivoting     the last steps of elimination, with sparse and with dense rows
"""
