"""The shared part of the tests: the places of the peers, starting servers, clients and the gateway, and the cases."""
