module botyard.example

go 1.22
