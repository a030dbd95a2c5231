/**
 * What a page may be granted: nothing. Our own pages need none of it, as the main process does for them what a
 * permission would (the clipboard, files); a signing page could only use it against the person at the counter.
 */

/** Kept as a list so that a permission that is needed one day is added here, with its reason, and nowhere else. */
const GRANTED: readonly string[] = []

/** Whether a permission, as Chromium names it, is granted to any page. */
export function isGranted(permission: string): boolean {
  return GRANTED.includes(permission)
}
