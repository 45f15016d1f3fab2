"""TSS and TSS′: two-stage sampling, where each user reports on a few items only."""
