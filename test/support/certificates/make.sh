#!/bin/sh
# Makes the certificates of the TLS tests again. They are worth nothing outside of them: the keys are public.
# All are valid from 2020 to 2099, so that neither time nor a clock set wrong breaks the tests.
set -e
cd "$(dirname "$0")"
scratch=$(mktemp -d)
mkdir "$scratch/new"
: > "$scratch/index.txt"
cat > "$scratch/ca.cnf" <<END
[ca]
default_ca = test
[test]
database = $scratch/index.txt
new_certs_dir = $scratch/new
rand_serial = yes
default_md = sha256
policy = any
copy_extensions = copy
unique_subject = no
[any]
commonName = supplied
END
# name, extension, last day, then how it is signed
certify() {
  openssl ecparam -name prime256v1 -genkey -noout -out "$1.key.pem"
  openssl req -new -key "$1.key.pem" -subj "/CN=$1.test" -addext "$2" -out "$scratch/$1.csr"
  name=$1
  last=$3
  shift 3
  openssl ca -batch -notext -config "$scratch/ca.cnf" -startdate 20200101000000Z -enddate "$last" -in "$scratch/$name.csr" -out "$name.pem" "$@"
}
certify authority basicConstraints=critical,CA:TRUE 20991231000000Z -selfsign -keyfile authority.key.pem
by_authority="-cert authority.pem -keyfile authority.key.pem"
certify good subjectAltName=IP:127.0.0.1 20991231000000Z $by_authority
certify wrong-name subjectAltName=DNS:elsewhere.test 20991231000000Z $by_authority
certify expired subjectAltName=IP:127.0.0.1 20200102000000Z $by_authority
certify self-signed subjectAltName=IP:127.0.0.1 20991231000000Z -selfsign -keyfile self-signed.key.pem
rm -r "$scratch" authority.key.pem
chmod 644 *.pem
