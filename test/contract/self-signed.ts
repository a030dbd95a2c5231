/** A certificate for localhost that nobody signed but itself, with its key: for tests of refused certificates only. */

export const selfSigned = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgiv3WRbvNN9O1ciDx
WYJ8FiBCi2bwbDyhq8OKZTrOwsChRANCAATaHYnPmBouWkSsF7Totv26sGzxqYQT
Q2etl9WyiyoFGOqdyLbtnGwgBQETaVZDZJ9+9WYnCo8spHvQnEZM5uzk
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBnDCCAUGgAwIBAgIUZi//9FCwcn/IxBGmQUlwmDLHI4MwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTA4MDUxOVoYDzIxMjYxMDI4
MDgwNTE5WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATaHYnPmBouWkSsF7Totv26sGzxqYQTQ2etl9WyiyoFGOqdyLbtnGwg
BQETaVZDZJ9+9WYnCo8spHvQnEZM5uzko28wbTAdBgNVHQ4EFgQUucKAWJnffUye
1eoJQ3TqjEtvehwwHwYDVR0jBBgwFoAUucKAWJnffUye1eoJQ3TqjEtvehwwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSQAwRgIhANzWreVcXuYv2KBeyTtebEm5ihkHL8BLSFRWxvTR07mvAiEA
0+f4KzuMJh3b3DmPaD/VapSYJbmdkLxvv7TBM4Qa4JI=
-----END CERTIFICATE-----`
}
