"""TSS and TSS′: two-stage sampling."""
