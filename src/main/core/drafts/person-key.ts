/** What tells the entries of the address book apart. */

/** Returns the key that tells people at one address apart. */
export function nameKey({ FirstName, LastName }: { FirstName: string; LastName: string }): string {
  return normalized(`${FirstName} ${LastName}`)
}

export function normalized(text: string): string {
  return text.trim().toLowerCase()
}
