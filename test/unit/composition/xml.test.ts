import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { checkXml, faultOfXml, problemsOf } from '../../../src/shared/composition/index.ts'
import { form, forms } from '../../fixtures/compositions.ts'

const NOW = Date.parse('2026-11-21T00:00:00Z')

function saidOf(XMLData: string) {
  return problemsOf(forms({ items: [form({ XMLData })] }), NOW)
}

describe('XML data', () => {
  test.each([
    '',
    ' \n ',
    '<data/>',
    '<?xml version="1.0" encoding="utf-16"?>\r\n<data a="1">Māori &amp; 漢字 👩‍👩‍👧 &#x20AC;<![CDATA[<b>]]></data>'
  ])('%j is well-formed', (text) => {
    expect(saidOf(text)).toEqual([])
  })

  test.each([
    ['hello', 1, /outside the outermost/],
    ['<data>\n  <name>Mere</nam>\n</data>', 2, /<\/nam> doesn’t close the element that is open here/],
    ['<data>\n<name>', 2, /<name> is never closed/],
    ['<data>\r\n\r\n<b c=d/></data>', 3, /quotation marks/],
    ['<data>Smith & Sons</data>', 1, /./],
    ['<data>&nbsp;</data>', 1, /&nbsp; isn’t known/],
    ['<a/><b/>', 1, /second outermost/],
    ['<a b="1" b="2"/>', 1, /twice/],
    ['<a>\u0000</a>', 1, /can’t be used here/],
    ['<a>\n\ud800</a>', 2, /half a character/],
    ['<a', 1, /./]
  ])('%j is refused with its place and a plain reason', (text, line, words) => {
    const [problem] = saidOf(text)
    expect(problem).toMatchObject({ severity: 'error', at: 'f1.XMLData' })
    expect(problem?.message).toMatch(new RegExp(`^Line ${line}, column \\d+: `))
    expect(problem?.message).toMatch(words)
  })

  test('the place of an error is where a text field puts the cursor', () => {
    const text = '<data>\r\n  <name>👩 Mere</nam></data>'
    const fault = faultOfXml(text)
    expect(fault).toMatchObject({ line: 2, column: 20 })
    expect(text.slice(0, (fault?.offset ?? 0) + 1).endsWith('</nam>')).toBe(true)
  })

  test('an entity bomb is refused for its document type and never expanded', () => {
    const level = (name: string, of: string) => `<!ENTITY ${name} "${`&${of};`.repeat(10)}">`
    const levels = Array.from({ length: 12 }, (_, index) => level(`e${index + 1}`, `e${index}`)).join('\n')
    const bomb = `<?xml version="1.0"?>\n<!DOCTYPE bomb [<!ENTITY e0 "boom">${levels}]>\n<bomb>&e12;</bomb>`
    expect(faultOfXml(bomb)).toMatchObject({ line: 2, column: 1 })
    expect(faultOfXml(bomb)?.message).toContain('document type')
    expect(faultOfXml('<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>')?.message).toContain('document type')
  })

  test('elements nested half a million deep are read like others', () => {
    const deep = 500_000
    expect(faultOfXml('<a>'.repeat(deep) + '</a>'.repeat(deep))).toBeUndefined()
    expect(faultOfXml('<a>'.repeat(deep))?.message).toBe('<a> is never closed.')
  })

  test('any input is handled, and an error’s place is inside it', () => {
    const pieces = fc.constantFrom(
      '<',
      '>',
      '/',
      'a',
      '"',
      '=',
      '&',
      ';',
      '<a>',
      '</a>',
      '<!--',
      ']]>',
      '<![CDATA[',
      '\n'
    )
    const texts = fc.oneof(
      fc.array(pieces).map((some) => some.join('')),
      fc.string({ unit: 'binary' })
    )
    fc.assert(
      fc.property(texts, (text) => {
        const fault = faultOfXml(text)
        if (!fault) return
        expect(fault.offset).toBeGreaterThanOrEqual(0)
        expect(fault.offset).toBeLessThanOrEqual(text.length)
        expect(fault.line).toBe(text.slice(0, fault.offset).split(/\r\n|\r|\n/).length)
      }),
      { numRuns: 2000 }
    )
  })
})

describe('large XML data', () => {
  const large = `<data>${'<row id="12"><name>Mere Tamati</name></row>\n'.repeat(100_000)}</data>`

  test('are read in slices with pauses, and not read again while unchanged', async () => {
    const pause = vi.fn(async () => {})
    expect(await checkXml(large, pause)).toBeUndefined()
    expect(pause.mock.calls.length).toBeGreaterThan(10)
    pause.mockClear()
    expect(await checkXml(large, pause)).toBeUndefined()
    expect(pause).not.toHaveBeenCalled()
  })

  test('cost nothing when typing elsewhere', () => {
    const broken = `${large}</data>`
    const time = (work: () => void) => {
      const from = performance.now()
      work()
      return performance.now() - from
    }
    const first = time(() => saidOf(broken))
    const later = time(() => {
      for (let key = 0; key < 20; key++) expect(saidOf(broken)).toHaveLength(1)
    })
    expect(later / 20).toBeLessThan(first / 4)
  })
})
