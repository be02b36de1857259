"""What ships with the editor: the sample project, and the script that makes its props."""
