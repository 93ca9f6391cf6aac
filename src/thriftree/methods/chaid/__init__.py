"""CHAID: categories that do not differ are merged; the column whose groups differ most surely is asked."""
