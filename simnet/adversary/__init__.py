"""What a collusion set learns: the symbolic reading of a run, elimination over F_q, verdicts and
certificates.
"""
