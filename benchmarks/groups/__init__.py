"""Money where metrics are measured in groups, against measuring all of them in every evaluation."""
