#!/bin/sh
# Starts the studio of the program beside this file.
cd "$(dirname "$0")" && exec ./velamen studio
