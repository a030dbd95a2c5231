import { deflateRawSync } from 'node:zlib'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { firstFilledSheet, openTable, pastedTable } from '../../../src/main/core/bulk/open-file.ts'
import { inline, rawWorkbook, styledWorkbook, workbook, workbookOf } from './tables.ts'

const read = (bytes: Uint8Array, name = 'staff.csv', sheet?: string) => {
  const table = openTable(bytes, name)
  return table.sheet(sheet ?? (table.sheets[0] as string))
}
const text = (content: string) => read(Buffer.from(content))
const cells = async (sheet: ReturnType<typeof read>) => (await sheet).rows.map((row) => row.cells)
/** Returns the message for a file that can't be used. */
async function refusal(work: () => Promise<unknown>): Promise<string> {
  try {
    await work()
  } catch (error) {
    const { appError } = error as { appError: { code: string; message: string } }
    expect(appError.code).toBe('bad-file')
    return appError.message
  }
  throw new Error('It was taken.')
}

describe('pasted rows', () => {
  const pasted = (content: string) => pastedTable(content).sheet('')

  test('are split at tabs, as Excel writes them, with quotes around cells of several lines', async () => {
    const sheet = await pasted('Name\tAddress\r\nMere\t"1 Ferry Rd\nNelson"\r\nTama\t"The ""Old"" Mill, 2 High St"\r\n')
    expect(sheet.columns).toEqual(['Name', 'Address'])
    expect(sheet.rows.map(({ cells }) => cells)).toEqual([
      ['Mere', '1 Ferry Rd\nNelson'],
      ['Tama', 'The "Old" Mill, 2 High St']
    ])
    expect(sheet.notes).toEqual([])
  })

  test('are not split at commas or semicolons', async () => {
    expect((await pasted('Nelson, NZ; a, b\nLyttelton, NZ; c, d')).columns).toEqual(['Nelson, NZ; a, b'])
  })

  test('can be a single row without headings', async () => {
    expect((await pasted('Mere\tTamati\tmere@example.com')).rows).toEqual([
      { row: 1, cells: ['Mere', 'Tamati', 'mere@example.com'] }
    ])
  })

  test('that aren’t rows are refused with advice', async () => {
    expect(await refusal(async () => pasted(' \r\n'))).toContain('nothing to paste')
    expect(await refusal(async () => pasted('Kia ora koutou'))).toContain('Select the rows there')
    expect(await refusal(async () => pasted('PK\0\0\tx\n'))).toContain('isn’t text')
  })

  test('have the same limits as files, and formulas among them are text', async () => {
    expect(await refusal(() => pasted(`Name\tE-mail\n${'Mere\tx\n'.repeat(30_000)}`))).toContain('30,000 rows')
    expect(await refusal(() => pasted(`${'x\t'.repeat(10_000)}y\n`))).toContain('10,001 columns')
    expect(await refusal(async () => pasted(`a\tb\n${'x'.repeat(51 * 1024 * 1024)}`))).toContain(
      '52 MB; the limit is 50 MB'
    )
    expect((await pasted('Name\tNote\nMere\t=HYPERLINK("http://x")')).rows[0]?.cells[1]).toBe('=HYPERLINK("http://x")')
  })
})

describe('a text table', () => {
  test('has headings and rows', async () => {
    const sheet = await text('First name,Last name\nMere,Tamati\nTama,Brooks\n')
    expect(sheet.columns).toEqual(['First name', 'Last name'])
    expect(sheet.rows).toEqual([
      { row: 2, cells: ['Mere', 'Tamati'] },
      { row: 3, cells: ['Tama', 'Brooks'] }
    ])
    expect(sheet.notes).toEqual([])
  })

  test.each([
    ['semicolons', ';'],
    ['tabs', '\t'],
    ['vertical bars', '|']
  ])('can be separated by %s, which is noted', async (word, separator) => {
    const sheet = await text('Name;E-mail\nA, B;c'.replaceAll(';', separator))
    expect(sheet.columns).toEqual(['Name', 'E-mail'])
    expect(sheet.notes.join()).toContain(word)
  })

  test('separated by semicolons can have commas in cells', async () => {
    expect(await cells(text('Name;Address\nMere;"1 Ferry Rd, Nelson"\nTama;2 High St, Nelson\n'))).toEqual([
      ['Mere', '1 Ferry Rd, Nelson'],
      ['Tama', '2 High St, Nelson']
    ])
  })

  test('uses the separator from Excel’s “sep=” line', async () => {
    expect((await text('sep=;\r\nName;E-mail\r\nMere;mere@example.com')).columns).toEqual(['Name', 'E-mail'])
  })

  test('can have line breaks, quotes and separators in quoted cells', async () => {
    expect(await cells(text('Name,Note\r\nMere,"Line one\r\nline ""two"", and more"\r\nTama,b\r\n'))).toEqual([
      ['Mere', 'Line one\nline "two", and more'],
      ['Tama', 'b']
    ])
  })

  test.each([
    ['UTF-8 with a byte order mark', Buffer.from('\ufeffName\nMāia Ngāta\n')],
    ['UTF-16 with a byte order mark', Buffer.from('\ufeffName\nMāia Ngāta\n', 'utf16le')],
    ['big-endian UTF-16', Buffer.from('\ufeffName\nMāia Ngāta\n', 'utf16le').swap16()],
    ['UTF-16 without a byte order mark', Buffer.from('Name,Town\nMia,Nelson is where she lives\n', 'utf16le')]
  ])('is read in %s', async (_, bytes) => {
    const sheet = await read(bytes)
    expect(sheet.columns[0]).toBe('Name')
    expect(sheet.rows[0]?.cells[0]).toMatch(/^(Māia Ngāta|Mia)$/)
    expect(sheet.notes).toEqual([])
  })

  test('in another encoding is read as Windows-1252, with a note', async () => {
    const sheet = await read(Buffer.from('Name\nRen\xe9e \x93Dee\x94 \x80\n', 'latin1'))
    expect(sheet.rows[0]?.cells).toEqual(['Renée “Dee” €'])
    expect(sheet.notes.join()).toContain('Windows-1252')
  })

  test('names blank headings by position and makes equal ones distinct', async () => {
    expect((await text('Name,,Name,NAME\na,b,c,d')).columns).toEqual(['Name', 'Column 2', 'Name (2)', 'NAME (3)'])
  })

  test('counts rows like the spreadsheet, including blank ones', async () => {
    const sheet = await text('\nName\nMere\n\n  \nTama\n')
    expect(sheet.rows.map(({ row }) => row)).toEqual([3, 6])
  })

  test('keeps cells beyond the headings', async () => {
    const sheet = await text('Name\nMere,left over\n')
    expect(sheet.columns).toEqual(['Name', 'Column 2'])
    expect(sheet.rows[0]?.cells).toEqual(['Mere', 'left over'])
  })

  test('removes the apostrophe that protects a cell from being executed', async () => {
    expect(await cells(text("Name,Mobile\n'=SUM(A1),'+64 21 012 345\n'Akau,''@x"))).toEqual([
      ['=SUM(A1)', '+64 21 012 345'],
      ["'Akau", "'@x"]
    ])
  })

  test('reports columns with ambiguous dates, with the first ambiguous one as an example', async () => {
    const doubts = async (...dates: string[]) =>
      (await text(`Name,Start\n${dates.map((one) => `a,${one}`).join('\n')}`)).dateDoubts
    expect(await doubts('05/05/2026', '04/12/2026', '05/11/2026')).toEqual([{ column: 1, example: '04/12/2026' }])
    expect(await doubts('04/12/2026', '25/11/2026')).toEqual([])
    expect(await doubts('04/12/2026', '11/25/2026')).toEqual([])
    // It is the same day, whichever comes first.
    expect(await doubts('05/05/2026')).toEqual([])
  })

  test('notes how many blank rows between others are left out', async () => {
    expect((await text('Name\nMere\n\nTama\n\n\n')).notes).toEqual(['1 blank row is left out.'])
    expect((await text('\nName,E-mail\nMere,x\n,\n , \nTama,y')).notes).toEqual(['2 blank rows are left out.'])
  })

  test('notes if dates are read month first, or are numbers', async () => {
    const notes = async (...dates: string[]) => (await text(`Start\n${dates.join('\n')}`)).notes.join()
    expect(await notes('04/12/2026', '25/11/2026')).toBe('')
    expect(await notes('04/12/2026', '11/25/2026')).toContain('month first')
    expect(await notes('46361', '46400')).toContain('numbers such as 46361')
  })

  test('with an unclosed quote is refused as incomplete, with its line', async () => {
    expect(await refusal(() => text('Name,Note\nMere,a\nTama,"and then'))).toMatch(/line 3 .* never closed/)
  })

  test('that ends in the middle of a row gets a warning', async () => {
    expect((await text('A,B,C\n1,2,3\n4,5,6\n7,8')).notes.join()).toContain('last row')
  })

  test('with 10,000 columns is refused, with that number', async () => {
    const wide = Array.from({ length: 10_000 }, (_, index) => `c${index}`).join(',')
    expect(await refusal(() => text(`${wide}\n${wide}\n`))).toContain('10,000 columns')
  })

  test('with too many rows is refused, with their number', async () => {
    expect(await refusal(() => text(`Name\n${'Mere\n'.repeat(30_000)}`))).toContain('30,000 rows')
  })

  test('can have 2,000 rows', async () => {
    expect((await text(`Name,E-mail\n${'Mere,mere@example.com\n'.repeat(2000)}`)).rows).toHaveLength(2000)
  })

  test('without content or rows is reported so', async () => {
    expect(await refusal(() => text('\n \n,,\n'))).toContain('empty')
    expect(await refusal(() => read(new Uint8Array()))).toContain('empty')
    expect((await text('Name,E-mail\n')).notes.join()).toContain('no rows')
  })

  test('without headings has columns named by letters, and keeps its first row', async () => {
    const sheet = await text('Mere,mere@example.com\nTama,tama@example.com')
    expect(sheet).toMatchObject({ firstRow: 'data', columns: ['A', 'B'] })
    expect(sheet.rows.map(({ row, cells }) => [row, cells[0]])).toEqual([
      [1, 'Mere'],
      [2, 'Tama']
    ])
    expect(sheet.notes.join()).toContain('used as data')
  })

  test('is read as a person chooses, even if its first row looks different', async () => {
    const table = openTable(Buffer.from('Mere,mere@example.com\nTama,tama@example.com'), 'staff.csv')
    expect(await table.sheet('', 'headings')).toMatchObject({
      firstRow: 'headings',
      columns: ['Mere', 'mere@example.com']
    })
    const headed = openTable(Buffer.from(`Name\n${'Mere\n'.repeat(27)}`), 'staff.csv')
    expect((await headed.sheet('', 'data')).rows[0]).toEqual({ row: 1, cells: ['Name'] })
    const wide = openTable(Buffer.from(`${Array.from({ length: 28 }, () => 'x').join(',')}\n`), 'staff.csv')
    expect((await wide.sheet('', 'data')).columns.slice(-3)).toEqual(['Z', 'AA', 'AB'])
  })

  test('that is another kind of file is refused', async () => {
    expect(await refusal(() => read(Buffer.from('\x89PNG\r\n\x1a\n\0\0\0', 'latin1')))).toContain('table of text')
    expect(await refusal(() => read(Buffer.from('%PDF-1.7')))).toContain('PDF')
  })
})

test.each([
  ['vertical bars', 'Name | Nom,E-mail | Courriel\nMere,mere@example.com'],
  ['semicolons', 'Name; in full,E-mail; work\n"Tamati; Mere",mere@example.com']
])('headings may contain %s if the rows don’t', async (_, text) => {
  const sheet = await read(Buffer.from(text), 'staff.csv')
  expect(sheet.columns).toHaveLength(2)
  expect(sheet.rows.map((row) => row.cells)).toEqual([[expect.stringContaining('Mere'), 'mere@example.com']])
})

test.each([
  ['Name,Tags | labels\nMere,a\nTama,b | c\nLena,d | e | f', 'Tama', 'b | c'],
  ['Name|Surname, first\nMere|Tamati\nTama|Brooks, T', 'Tama', 'Brooks, T'],
  ['Name,Tags | labels\nMere,a | b\nTama,c\nLena,d', 'Tama', 'c']
])(
  'of two separators as frequent in the headings, the one that makes even rows counts: %j',
  async (text, ...second) => {
    expect((await cells(read(Buffer.from(text))))[1]).toEqual(second)
  }
)

describe('a workbook', () => {
  test('can contain texts, numbers, dates and booleans', async () => {
    const bytes = await workbook([
      ['Name', 'Start', 'Count', 'Happy', 'Sum'],
      ['Mere', new Date(Date.UTC(2026, 11, 4)), 21012345, true, 0.1 + 0.2],
      ['Tama', new Date(Date.UTC(2026, 11, 4, 17, 30)), 64211234567, false, null]
    ])
    const sheet = await read(bytes, 'staff.xlsx')
    expect(sheet.rows.map((row) => row.cells)).toEqual([
      ['Mere', '2026-12-04', '21012345', 'yes', '0.3'],
      ['Tama', '2026-12-04T17:30', '64211234567', 'no', '']
    ])
    expect(sheet.notes.join()).toContain('“Start”')
  })

  test('can have several sheets, each of which can be read', async () => {
    const bytes = await workbookOf({ Notes: [['Read me']], Staff: [['Name'], ['Mere']], Old: [['Name'], ['Tama']] })
    const table = openTable(bytes, 'staff.xlsx')
    expect(table.sheets).toEqual(['Notes', 'Staff', 'Old'])
    expect((await table.sheet('Old')).rows[0]?.cells).toEqual(['Tama'])
    expect(await refusal(() => table.sheet('Gone'))).toContain('no sheet')
  })

  test('shows failed formulas and formulas without a result as such', async () => {
    const bytes = rawWorkbook(
      `<sheetData><row r="1">${inline('A1', 'First name')}${inline('B1', 'Last name')}${inline('C1', 'E-mail')}</row>` +
        '<row r="2"><c r="A2" t="e"><f>A9</f><v>#REF!</v></c><c r="B2"><f>UPPER(&quot;x&quot;)</f></c><c r="C2" t="str"><f>A1</f><v>mere@example.com</v></c></row></sheetData>'
    )
    const sheet = await read(bytes, 'staff.xlsx')
    expect(sheet.rows[0]?.cells).toEqual(['#REF!', '=UPPER("x")', 'mere@example.com'])
    expect([...(sheet.rows[0]?.flaws ?? [])]).toEqual([
      [0, expect.stringContaining('#REF!')],
      [1, expect.stringContaining('no result yet')]
    ])
  })

  test('can have shared texts in parts, with phonetics left out, and dates marked by styles', async () => {
    const types = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
    const bytes = rawWorkbook(
      `<sheetData><row r="1">${inline('A1', 'Name')}${inline('B1', 'Start')}${inline('C1', 'Rent')}</row>` +
        '<row r="2"><c r="A2" t="s"><v>0</v></c><c r="B2" s="0"><v>46000.25</v></c><c r="C2" s="1"><v>420</v></c></row>' +
        '<row r="3"><c r="A3" t="s"><v>1</v></c><c r="B3" s="2"><v>46000</v></c><c r="C3" s="3"><v>0.75</v></c></row></sheetData>',
      {
        'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="rId1" Type="${types}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${types}/styles" Target="styles.xml"/><Relationship Id="rId3" Type="${types}/sharedStrings" Target="/xl/sharedStrings.xml"/></Relationships>`,
        'xl/sharedStrings.xml':
          '<sst><si><r><t xml:space="preserve">Mere </t></r><r><t>Tamati</t></r><rPh><t>MERE</t></rPh></si><si><t>A_x0026_B</t></si></sst>',
        'xl/styles.xml':
          '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="[$-1409]d mmm yyyy;@"/><numFmt numFmtId="165" formatCode="[Red]&quot;day&quot; #,##0.00"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="164"/><xf numFmtId="165"/><xf xfId="0"/><xf numFmtId="20"/></cellXfs></styleSheet>'
      }
    )
    expect(await cells(read(bytes, 'a.xlsx'))).toEqual([
      ['Mere Tamati', '2025-12-09T06:00', '420'],
      ['A&B', '2025-12-09', '18:00']
    ])
  })

  /** Returns what a number is read as under a format: its number if it is a built-in one. */
  async function formatted(format: string | number, value: number): Promise<string | undefined> {
    const template = String(format).replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
    const own = typeof format === 'string' ? `<numFmts><numFmt numFmtId="164" formatCode="${template}"/></numFmts>` : ''
    const bytes = styledWorkbook(
      `<row r="1">${inline('A1', 'Number')}</row><row r="2"><c r="A2" s="0"><v>${value}</v></c></row>`,
      `${own}<cellXfs><xf numFmtId="${own ? 164 : format}"/></cellXfs>`
    )
    return (await cells(read(bytes, 'a.xlsx')))[0]?.[0]
  }

  test.each([
    ['0000', 610, '0610'],
    ['0000', 12345, '12345'],
    ['000-000', 1234, '001-234'],
    ['00 00 00', 12345, '01 23 45'],
    ['(000) 000-0000', 211234567, '(021) 123-4567'],
    ['000\\ 000\\ 0000', 215550101, '021 555 0101'],
    ['"REF-"0000', 42, 'REF-0042'],
    ['"0"00" "000" "0000', 215550101, '021 555 0101'],
    ['[Blue]00000\\-0000', 12345678, '01234-5678'],
    ['[$-1409]000\\.000;[Red]-000', 7, '000.007'],
    ['_(000#_)', 12, '0012'],
    ['+64 00 000 0000', 215550101, '+64 21 555 0101']
  ])('keeps the leading zeros that the format %s shows', async (format, value, shown) => {
    expect(await formatted(format, value)).toBe(shown)
  })

  test.each([
    ['0000', 0.5, '0.5'],
    ['0000', -12, '-12'],
    ['0', 7, '7'],
    ['#,##0', 1234, '1234'],
    ['# ##0', 1234, '1234'],
    ['00.00', 7, '7'],
    ['"$"#,##0.00', 1234.5, '1234.5'],
    ['0.00E+00', 1234, '1234'],
    ['# ?/?', 0.75, '0.75'],
    ['[<=9999999]000-0000;(000) 000-0000', 5550101, '5550101'],
    [2, 7, '7'],
    ['General', 610, '610']
  ])('reads a number under the format %s as it is', async (format, value, shown) => {
    expect(await formatted(format, value)).toBe(shown)
  })

  test.each([
    [9, 0.045, '4.5%'],
    [10, 0.07, '7%'],
    ['0.0%', 0.045, '4.5%'],
    ['0.00 %;[Red]-0.00 %', -0.125, '-12.5%'],
    ['0" % of rent"', 4.5, '4.5'],
    ['0\\%', 4.5, '4.5']
  ])('reads a number under the format %s as a percentage if it is one', async (format, value, shown) => {
    expect(await formatted(format, value)).toBe(shown)
  })

  test.each([
    [46, 1.5, '36:00'],
    ['[h]:mm', 0.375, '09:00'],
    ['[hh]:mm:ss;@', 4.1666666667, '100:00'],
    ['[h]:mm', -0.5, '-0.5']
  ])('reads a length of time under the format %s as hours and minutes', async (format, value, shown) => {
    expect(await formatted(format, value)).toBe(shown)
  })

  test.each(['UTC', 'Pacific/Auckland', 'America/New_York'])('has the dates that were written, in %s', async (zone) => {
    vi.stubEnv('TZ', zone)
    onTestFinished(() => void vi.unstubAllEnvs())
    const dates = ['2026-12-31', '2026-12-31T00:00:00', '2026-12-31T17:30:00.000', '2026-12-31T00:00:00Z']
    const rows = dates.map((date, at) => `<row r="${at + 2}"><c r="A${at + 2}" t="d"><v>${date}</v></c></row>`)
    const bytes = rawWorkbook(`<sheetData><row r="1">${inline('A1', 'Due date')}</row>${rows.join('')}</sheetData>`)
    expect(await cells(read(bytes, 'a.xlsx'))).toEqual([
      ['2026-12-31'],
      ['2026-12-31'],
      ['2026-12-31T17:30'],
      ['2026-12-31']
    ])
  })

  test('can have texts that aren’t parsed as XML', async () => {
    const name = inline('A2', '<![CDATA[Smith & Sons <Ltd>]]>')
    const bytes = rawWorkbook(`<sheetData><row r="1">${inline('A1', 'Name')}</row><row r="2">${name}</row></sheetData>`)
    expect(await cells(read(bytes, 'a.xlsx'))).toEqual([['Smith & Sons <Ltd>']])
  })

  test.each([
    ['a missing text', '<c r="A2" t="s"><v>7</v></c>'],
    ['a missing style', '<c r="A2" s="7"><v>7</v></c>'],
    ['an invalid number', '<c r="A2"><v>seven</v></c>'],
    ['an unknown cell type', '<c r="A2" t="x"><v>7</v></c>']
  ])('with %s is refused', async (_, cell) => {
    const bytes = rawWorkbook(`<sheetData><row r="1">${inline('A1', 'Name')}</row><row r="2">${cell}</row></sheetData>`)
    expect(await refusal(() => read(bytes, 'a.xlsx'))).toContain('The sheet “Staff” can’t be read')
  })

  test('with one row’s cells in two places is refused, rather than read as two rows', async () => {
    const rows = [inline('A1', 'Name'), inline('A2', 'Mere'), inline('A3', 'Tama'), inline('B2', 'Tamati')]
    const bytes = rawWorkbook(`<sheetData>${rows.map((cell) => `<row>${cell}</row>`).join('')}</sheetData>`)
    expect(await refusal(() => read(bytes, 'a.xlsx'))).toContain('can’t be read')
  })

  test('with too many rows is refused, with their number', async () => {
    const rows = Array.from(
      { length: 30_001 },
      (_, index) => `<row r="${index + 1}">${inline(`A${index + 1}`, 'x')}</row>`
    )
    const bytes = rawWorkbook(`<sheetData>${rows.join('')}</sheetData>`)
    expect(await refusal(() => read(bytes, 'a.xlsx'))).toContain('30,000 rows')
  })

  test('with rows that a filter hides gets a note that they are used too', async () => {
    const filtered = (hidden: string) =>
      rawWorkbook(
        `<sheetData><row r="1">${inline('A1', 'Name')}</row><row r="2">${inline('A2', 'Mere')}</row>` +
          `<row r="3" ${hidden}>${inline('A3', 'Tama')}</row><row r="4" ${hidden}/></sheetData>`
      )
    for (const hidden of ['hidden="1"', 'hidden="true"'])
      expect((await read(filtered(hidden), 'a.xlsx')).notes).toEqual([
        '1 row is hidden in the spreadsheet, and used too. If it shouldn’t be, delete it there.'
      ])
    expect((await read(filtered('hidden="0"'), 'a.xlsx')).notes).toEqual([])
  })

  describe.each(['hidden', 'veryHidden'])('with a %s sheet in front', (state) => {
    const withHidden = (staff: string) => {
      const types = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
      const link = (id: number) =>
        `<Relationship Id="rId${id}" Type="${types}/worksheet" Target="worksheets/sheet${id}.xml"/>`
      const lists = `<row r="1">${inline('A1', 'List')}</row><row r="2">${inline('A2', 'One')}</row>`
      const bytes = rawWorkbook('', {
        'xl/workbook.xml': `<workbook xmlns:r="r"><sheets><sheet name="Lists" state="${state}" r:id="rId1"/><sheet name="Staff" state="visible" r:id="rId2"/></sheets></workbook>`,
        'xl/_rels/workbook.xml.rels': `<Relationships>${link(1)}${link(2)}</Relationships>`,
        'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${lists}</sheetData></worksheet>`,
        'xl/worksheets/sheet2.xml': `<worksheet><sheetData>${staff}</sheetData></worksheet>`
      })
      return openTable(bytes, 'a.xlsx')
    }
    const firstFilled = (table: ReturnType<typeof openTable>) =>
      firstFilledSheet(table, (sheet, name) => [name, sheet.rows.length])
    const heading = `<row r="1">${inline('A1', 'Name')}</row>`

    test('has that after those that people see', async () => {
      const table = withHidden(heading)
      expect(table.sheets).toEqual(['Staff', 'Lists'])
      expect((await table.sheet('Lists')).columns).toEqual(['List'])
    })

    test('is never read from that, even if those that people see have no rows', async () => {
      expect(await firstFilled(withHidden(heading))).toEqual(['Staff', 0])
      expect(await refusal(() => firstFilled(withHidden('')))).toBe('This table is empty.')
    })
  })

  test('with merged cells gets a note about them', async () => {
    const bytes = rawWorkbook(
      `<sheetData><row r="1">${inline('A1', 'Name')}</row><row r="2">${inline('A2', 'Mere')}</row></sheetData><mergeCells count="1"><mergeCell ref="A2:A3"/></mergeCells>`
    )
    expect((await read(bytes, 'a.xlsx')).notes.join()).toContain('merged')
  })

  test('with the 1904 date system is read accordingly', async () => {
    const bytes = rawWorkbook(
      `<sheetData><row r="1">${inline('A1', 'Start')}</row><row r="2"><c r="A2"><v>44899</v></c></row></sheetData>`,
      {
        'xl/workbook.xml':
          '<workbook xmlns:r="r"><workbookPr date1904="1"/><sheets><sheet name="Staff" sheetId="1" r:id="rId1"/></sheets></workbook>'
      }
    )
    expect((await read(bytes, 'a.xlsx')).epoch).toBe(1904)
  })

  test('with the 1904 date system has times of day without a date', async () => {
    const types = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
    const bytes = rawWorkbook(
      `<sheetData><row r="1">${inline('A1', 'Time')}</row><row r="2"><c r="A2" s="0"><v>0.375</v></c></row><row r="3"><c r="A3" s="1"><v>44538.375</v></c></row></sheetData>`,
      {
        'xl/workbook.xml':
          '<workbook xmlns:r="r"><workbookPr date1904="1"/><sheets><sheet name="Staff" sheetId="1" r:id="rId1"/></sheets></workbook>',
        'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="rId1" Type="${types}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${types}/styles" Target="styles.xml"/></Relationships>`,
        'xl/styles.xml': '<styleSheet><cellXfs><xf numFmtId="20"/><xf numFmtId="22"/></cellXfs></styleSheet>'
      }
    )
    expect(await cells(read(bytes, 'a.xlsx'))).toEqual([['09:00'], ['2025-12-09T09:00']])
  })

  test('has no time on the next day, however close to midnight', async () => {
    const close = ['46000.99998842593', '46000.99999996528', '46000.999999988', '0.999988425926', '46000.9999999999']
    const usual = ['46000.7291666667', '46000.72917', '46000.39583', '46000.729155']
    const rows = [...close, ...usual].map(
      (time, at) => `<row r="${at + 2}"><c r="A${at + 2}" s="0"><v>${time}</v></c></row>`
    )
    const iso = '<row r="20"><c r="A20" t="d"><v>2025-12-09T23:59:59.997</v></c></row>'
    const heading = `<row r="1">${inline('A1', 'Until')}</row>`
    const bytes = styledWorkbook(`${heading}${rows.join('')}${iso}`, '<cellXfs><xf numFmtId="22"/></cellXfs>')
    const last = '2025-12-09T23:59'
    expect((await cells(read(bytes, 'a.xlsx'))).flat()).toEqual([
      ...[last, last, last, '23:59', '2025-12-10'],
      ...['2025-12-09T17:30', '2025-12-09T17:30', '2025-12-09T09:30', '2025-12-09T17:29'],
      last
    ])
  })

  test('that is cut off is refused', async () => {
    const bytes = await workbook([['Name'], ['Mere']])
    expect(await refusal(() => read(bytes.subarray(0, bytes.length / 2), 'staff.xlsx'))).toContain('incomplete')
  })

  test('with a damaged part is refused', async () => {
    const bytes = await workbook([['Name'], ['Mere']])
    for (let index = 60; index < 200; index++) bytes[index] = 0xaa
    expect(await refusal(() => read(bytes, 'staff.xlsx'))).toContain('damaged')
  })

  test('that would unpack to too much is refused before unpacking', async () => {
    expect(await refusal(() => read(bomb(3_000_000_000), 'staff.xlsx'))).toMatch(/unpacks to 2,861 MB/)
  })

  test('that understates its unpacked size is refused', async () => {
    expect(await refusal(() => read(bomb(10), 'staff.xlsx'))).toContain('damaged')
  })

  test('with a cell at a huge position is refused without allocating all rows before it', async () => {
    const bytes = rawWorkbook(
      `<sheetData><row r="1">${inline('A1', 'Name')}</row><row r="1048576">${inline('XFD1048576', 'x')}</row></sheetData>`
    )
    expect(await refusal(() => read(bytes, 'a.xlsx'))).toContain('row 1,048,576')
    const beyond = rawWorkbook(`<sheetData><row r="99999999999">${inline('A1', 'Name')}</row></sheetData>`)
    expect(await refusal(() => read(beyond, 'a.xlsx'))).toContain('can’t be read')
  })

  test('with an entity bomb is refused', async () => {
    const bytes = rawWorkbook('<sheetData/>', {
      'xl/workbook.xml': '<!DOCTYPE x [<!ENTITY a "aaaa">]><workbook><sheets><sheet name="&a;"/></sheets></workbook>'
    })
    expect(await refusal(() => read(bytes, 'a.xlsx'))).toContain('can’t be read')
  })

  test('with a password, in an old format, or of another kind is refused with a helpful message', async () => {
    const ole = Buffer.from('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'latin1')
    const locked = Buffer.concat([ole, Buffer.alloc(600), Buffer.from('EncryptedPackage', 'utf16le')])
    expect(await refusal(() => read(locked, 'a.xlsx'))).toContain('password')
    expect(await refusal(() => read(Buffer.concat([ole, Buffer.alloc(600)]), 'a.xls'))).toContain('.xls')
    expect(await refusal(() => read(Buffer.from('Name\nMere'), 'a.xlsx'))).toContain('isn’t one')
  })

  test('named as a text table is read as a workbook', async () => {
    const sheet = await read(await workbook([['Name'], ['Mere']]), 'staff.csv')
    expect(sheet.rows[0]?.cells).toEqual(['Mere'])
    expect(sheet.notes[0]).toContain('Excel workbook')
  })
})

/** A workbook whose sheet is twenty million spaces, and claims to have `size` bytes. */
function bomb(size: number): Buffer {
  const unpacked = Buffer.alloc(20_000_000, 0x20)
  const packed = deflateRawSync(unpacked)
  const bytes = rawWorkbook('PLACE')
  const start = bytes.indexOf('xl/worksheets/sheet1.xml') - 30
  const content = bytes.subarray(start + 30 + 24)
  const length = bytes.readUInt32LE(start + 18)
  const head = Buffer.from(bytes.subarray(start, start + 54))
  head.writeUInt16LE(8, 8)
  head.writeUInt32LE(packed.length, 18)
  head.writeUInt32LE(size, 22)
  const rest = Buffer.from(content.subarray(length))
  const entry = rest.lastIndexOf('xl/worksheets/sheet1.xml') - 46
  rest.writeUInt16LE(8, entry + 10)
  rest.writeUInt32LE(packed.length, entry + 20)
  rest.writeUInt32LE(size, entry + 24)
  const end = rest.length - 22
  rest.writeUInt32LE(start + 54 + packed.length, end + 16)
  return Buffer.concat([bytes.subarray(0, start), head, packed, rest])
}
