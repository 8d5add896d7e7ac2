#!/usr/bin/env bash
# Uploads a picture as a new photo of a user, with curl alone:
#
#     docs/upload.sh USERNAME TOKEN FILE
#
# API is the address of the API, by default that of the local stack. docs/api.md describes the two requests.
set -euo pipefail
if [ $# != 3 ]; then
  sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
username=$1 token=$2 file=$3 api=${API:-http://localhost:3000}

# The first request creates the photo. Its answer ends with a form: "upload":{"url":…,"fields":{NAME:VALUE,…},…}. No value of the
# form has a quotation mark.
photo=$(curl -sS --fail-with-body -H "Authorization: Bearer $token" --json '{"format": "jpeg"}' "$api/users/$username/photos")
url=$(sed 's/.*"upload":{"url":"\([^"]*\)".*/\1/' <<<"$photo")
fields=$(sed 's/.*"fields":{\([^}]*\)}.*/\1/' <<<"$photo" | grep -o '"[^"]*":"[^"]*"' | sed 's/"\(.*\)":"\(.*\)"/\1=\2/')

# The second request sends the file to S3, after the fields of the form.
form=()
while read -r field; do form+=(--form-string "$field"); done <<<"$fields"
curl -sS --fail-with-body "${form[@]}" -F "file=@$file" "$url"
echo "uploaded $file as a photo of $username"
