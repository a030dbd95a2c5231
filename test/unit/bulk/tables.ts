/** Tables as offices have them, made in code: workbooks by a library or part by part, texts in any encoding. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { strToU8, zipSync } from 'fflate'
import writeWorkbook from 'write-excel-file/node'

type Cell = string | number | boolean | Date | null

/** A workbook of one sheet. */
export async function workbook(rows: Cell[][]): Promise<Buffer> {
  return writeWorkbook(rows, { dateFormat: 'dd/mm/yyyy' } as never).toBuffer()
}

/** A workbook of several sheets. */
export async function workbookOf(sheets: Record<string, Cell[][]>): Promise<Buffer> {
  return writeWorkbook(Object.entries(sheets).map(([sheet, data]) => ({ sheet, data }))).toBuffer()
}

const head = '<?xml version="1.0" encoding="UTF-8"?>'
const office = 'http://schemas.openxmlformats.org'

/** A workbook whose only sheet has the given XML within `<worksheet>`. */
export function rawWorkbook(sheet: string, more: Record<string, string> = {}): Buffer {
  const parts: Record<string, string> = {
    'xl/workbook.xml': `${head}<workbook xmlns="${office}/spreadsheetml/2006/main" xmlns:r="${office}/officeDocument/2006/relationships"><sheets><sheet name="Staff" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${head}<Relationships xmlns="${office}/package/2006/relationships"><Relationship Id="rId1" Type="${office}/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    'xl/worksheets/sheet1.xml': `${head}<worksheet xmlns="${office}/spreadsheetml/2006/main">${sheet}</worksheet>`,
    ...more
  }
  const entries = Object.entries(parts).map(([name, text]) => [name, strToU8(text)])
  return Buffer.from(zipSync(Object.fromEntries(entries), { level: 0 }))
}

/** A workbook whose only sheet has the given XML within `<sheetData>`, with the styles that its cells refer to. */
export function styledWorkbook(rows: string, styles: string): Buffer {
  const types = `${office}/officeDocument/2006/relationships`
  return rawWorkbook(`<sheetData>${rows}</sheetData>`, {
    'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="rId1" Type="${types}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${types}/styles" Target="styles.xml"/></Relationships>`,
    'xl/styles.xml': `<styleSheet>${styles}</styleSheet>`
  })
}

/** Returns a cell of `rawWorkbook` with inline text. */
export function inline(address: string, text: string): string {
  return `<c r="${address}" t="inlineStr"><is><t>${text}</t></is></c>`
}

/** Creates a folder with these files; `leave` removes it. */
export async function folderOf(files: Record<string, Uint8Array | string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-bulk-'))
  const put = async (name: string, content: Uint8Array | string) => {
    const path = join(folder, name)
    await writeFile(path, content)
    return path
  }
  for (const [name, content] of Object.entries(files)) await put(name, content)
  return { folder, put, leave: () => rm(folder, { recursive: true, force: true }) }
}
