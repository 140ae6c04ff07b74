#!/bin/sh
# Forget the staff PIN if an owner has put a file "table-hub-new-pin" into the boot partition of the card, which any computer
# can write: the hub makes another first PIN, and its screens show it. table-hub.service runs this as root before each start:
#
#     new-pin.sh STATE_FOLDER BOOT_FOLDER...

state=$1
shift
for folder; do
    for file in "$folder/table-hub-new-pin" "$folder/table-hub-new-pin.txt"; do # Windows may add .txt and not show it
        test -e "$file" || continue # some people make a folder
        # The file first: if it cannot be removed, the PIN must not change at every start.
        if ! rm -rf "$file"; then # our image mounts the partition read-only
            mount -o remount,rw "$folder" && rm -rf "$file"
            mount -o remount,ro "$folder"
        fi
        sync -f "$folder"
        if test -e "$file"; then
            echo "$file cannot be removed, so the staff PIN stays as it is." >&2
        else
            rm -f "$state/staff.json"
            echo "$file was there: the big screen of a table where nobody plays shows a new staff PIN."
        fi
    done
done
