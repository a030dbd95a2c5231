/** Sizes of files as people say them: "482 KB", "1.2 MB". */
export function sizeInWords(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`
  if (bytes < 999_500) return `${Math.round(bytes / 1000)} KB`
  return `${(bytes / 1_000_000).toLocaleString('en-GB', { maximumFractionDigits: bytes < 10_000_000 ? 1 : 0 })} MB`
}

/** "121 KB of 600 KB", or what has come so far where the whole isn't known. */
export function progressInWords(bytes: number, total: number | undefined): string {
  if (!total) return bytes === 0 ? 'Waiting for the service' : `${sizeInWords(bytes)} so far`
  return `${sizeInWords(bytes)} of ${sizeInWords(total)}`
}
