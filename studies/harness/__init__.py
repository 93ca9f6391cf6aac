"""What every study needs as a program: tables, processes with time limits, results that are not lost.

`tables` says where data come from, `processes` runs work, `record` keeps results, one line a run,
`versions` says of what; `runs` puts them together: `run_study` measures what the record does not have.
"""
