/** How documents and what was sent are told to be alike. */

/** The same for a document and an item that have the same name and the same signers. */
export function likenessOf(name: string | undefined, signers: readonly { Email?: string | undefined }[]): string {
  const emails = signers.map(({ Email }) => plain(Email)).sort()
  return [plain(name).replace(/\.pdf$/, ''), ...emails].join('\n')
}

/** As references, names and addresses are compared: without the space around them, in lower case. */
export function plain(text: string | undefined): string {
  return (text ?? '').trim().toLowerCase()
}
