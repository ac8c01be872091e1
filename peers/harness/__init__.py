"""What the tests share: where the peers are, how to start servers, clients and the gateway, and the cases."""
