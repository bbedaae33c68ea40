"""Problems by the general rules: own files, and instances of the scheduling literature."""
