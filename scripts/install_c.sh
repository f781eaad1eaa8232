#!/usr/bin/env bash
# Lays out the C library as a system has it: header, shared and static library, pkg-config file.
#
#     scripts/install_c.sh FROM PREFIX [--relocatable]      DESTDIR and LIBDIR from the environment
#
# FROM is the folder of cargo's products. With --relocatable the pkg-config file finds the tree from
# its own place, so that the tree can be unpacked anywhere.
. "$(dirname "$0")/lib.sh"

from="${1:?the folder of the built libraries}"
prefix="${2:?the prefix}"
relocatable="${3:-}"
libdir="${LIBDIR:-$prefix/lib}"
root="${DESTDIR:-}"
version="$(cargo pkgid --quiet -p mcp-elicit-capi)"
version="${version##*[#@]}"
major="${version%%.*}"

install -d "$root$prefix/include" "$root$libdir/pkgconfig"
install -m 644 include/mcp_elicit.h "$root$prefix/include/"
install -m 644 "$from/libmcp_elicit_capi.a" "$root$libdir/libmcp_elicit.a"
case "$(uname -s)" in
    Darwin)
        install -m 755 "$from/libmcp_elicit_capi.dylib" "$root$libdir/libmcp_elicit.$major.dylib"
        ln -sf "libmcp_elicit.$major.dylib" "$root$libdir/libmcp_elicit.dylib"
        private="-lpthread -lm"
        ;;
    *)
        install -m 755 "$from/libmcp_elicit_capi.so" "$root$libdir/libmcp_elicit.so.$version"
        ln -sf "libmcp_elicit.so.$version" "$root$libdir/libmcp_elicit.so.$major"
        ln -sf "libmcp_elicit.so.$major" "$root$libdir/libmcp_elicit.so"
        private="-lpthread -ldl -lm"
        ;;
esac

place="$prefix" libplace="$libdir"
if [ "$relocatable" = --relocatable ]; then
    # shellcheck disable=SC2016 # pkg-config's variables, not the shell's
    place='${pcfiledir}/../..' libplace='${prefix}/lib'
fi
cat >"$root$libdir/pkgconfig/mcp_elicit.pc" <<PC
prefix=$place
libdir=$libplace
includedir=\${prefix}/include

Name: mcp_elicit
Description: Elicitation and multi round-trip requests of the Model Context Protocol
Version: $version
Cflags: -I\${includedir}
Libs: -L\${libdir} -lmcp_elicit
Libs.private: $private
PC
