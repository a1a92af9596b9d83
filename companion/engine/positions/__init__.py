"""What positions on record make possible: typing them in, measuring, tracing supply."""
