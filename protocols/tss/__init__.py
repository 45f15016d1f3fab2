"""TSS and TSS′: two-stage sampling, where each user reports on k of the N items."""
