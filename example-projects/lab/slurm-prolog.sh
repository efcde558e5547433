#!/bin/sh
# Slurm runs this on a node before each job (slurm.conf: Prolog=/etc/slurm/slurm-prolog.sh). A node that is not what the lab declares is taken out
# of service: Slurm drains it and gives the job to another. What cannot be decided (a node that no one declared) stops no job.
cuda-arch-guard lab drift --lab "${LAB:-/etc/cuda-arch-guard/lab.json}" --machine "${SLURMD_NODENAME:-$(hostname -s)}"
[ $? -ne 1 ]
