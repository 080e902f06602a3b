@echo off
rem Starts the studio of the program beside this file.
"%~dp0velamen.exe" studio
if errorlevel 1 pause
