/** Small PDFs for tests, with one and two revisions. */

const first = `%PDF-1.7
%âãÏÓ
1 0 obj
<< /Type /Catalog /Pages 2 0 R >>
endobj
2 0 obj
<< /Type /Pages /Kids [] /Count 0 >>
endobj
`

/** About 200 bytes, from `%PDF-` to `%%EOF`. */
export const aPdf = Buffer.from(
  `${first}xref\n0 1\n0000000000 65535 f \ntrailer\n<< /Root 1 0 R /Size 3 >>\nstartxref\n130\n%%EOF`,
  'latin1'
)

/** It contains a whole earlier revision, whose end is near the end of the file. */
export const aPdfOfTwoRevisions = Buffer.concat([
  aPdf,
  Buffer.from('\n3 0 obj\n<< >>\nendobj\nxref\n0 1\ntrailer\n<< /Prev 130 >>\nstartxref\n310\n%%EOF\n')
])

/** Made for display while it loads: its first part ends like a whole file, and it states its length. */
export const aLinearisedPdf = linearised()

function linearised(): Buffer {
  const of = (length: number) =>
    `%PDF-1.7\n1 0 obj\n<< /Linearized 1 /L ${length} /H [ 100 20 ] /O 3 /E 90 /N 1 /T 200 >>\nendobj\n` +
    'xref\n0 1\ntrailer\n<< /Root 1 0 R >>\nstartxref\n0\n%%EOF\n4 0 obj\n<< >>\nendobj\nstartxref\n80\n%%EOF'
  const { length } = of(100)
  return Buffer.from(of(length))
}

/** Returns a PDF of that many bytes. */
export function pdfOf(bytes: number): Buffer {
  const end = Buffer.from('\n%%EOF\n')
  return Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(Math.max(0, bytes - 9 - end.length), 'x'), end])
}
