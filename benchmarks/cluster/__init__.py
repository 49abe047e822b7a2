"""What a second process of a Dask cluster gains."""
