#!/bin/sh
# Makes the root of a container: make-root.sh EXECUTABLE DIR. What the executable needs of a Debian
# system is copied into DIR, each thing by its name: there is no shell and no package manager in it.
set -eu
executable=$1
root=$2

# Libraries of the executable, then of the database library that is within it.
libraries="libc.so.6 libpthread.so.0 libdl.so.2 libm.so.6 libgcc_s.so.1 librt.so.1"

mkdir -p "$root/bin" "$root/etc" "$root/proc" "$root/dev" "$root/data" "$root/tmp"
cp "$executable" "$root/bin/appengine"
chmod 755 "$root/bin/appengine"

# The loader lies where the executable says.
loader=$(ldd "$executable" | sed -n 's|^[^/]*\(/lib[^ ]*/ld-linux[^ ]*\).*|\1|p')
mkdir -p "$root$(dirname "$loader")" "$root/lib"
cp -L "$loader" "$root$loader"

for name in $libraries; do
  found=
  for folder in /lib/*-linux-gnu /usr/lib/*-linux-gnu /lib64 /usr/lib64; do
    if [ -e "$folder/$name" ]; then found=$folder/$name; break; fi
  done
  [ -n "$found" ] || { echo "$name is not on this system: apt install libc6 libgcc-s1" >&2; exit 1; }
  cp -L "$found" "$root/lib/$name"
done

# One user, by a fixed number: volumes keep it.
echo 'appengine:x:10001:10001::/data:/sbin/nologin' > "$root/etc/passwd"
echo 'appengine:x:10001:' > "$root/etc/group"
echo 'hosts: files dns' > "$root/etc/nsswitch.conf"
chmod 700 "$root/data"
chmod 1777 "$root/tmp"
[ "$(id -u)" -ne 0 ] || chown 10001:10001 "$root/data"
