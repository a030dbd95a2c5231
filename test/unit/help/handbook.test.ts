import { describe, expect, test } from 'vitest'
import { sectionsOf } from '../../../scripts/handbook.ts'
import {
  type Block,
  highlight,
  type Inline,
  search,
  sectionAt,
  subsectionsOf
} from '../../../src/renderer/src/screens/help/sections.ts'

const page = (text: string, name = 'guide', file = 'docs/guide.md') => ({ name, title: 'Guide', file, text })
const sections = (...lines: string[]) => sectionsOf([page(['# Guide', ...lines].join('\n\n'))])
const blocks = (...lines: string[]): Block[] => sections('## One', ...lines)[0]?.blocks ?? []
/** Returns the inline parts of one paragraph. */
const parts = (text: string): Inline[] => {
  const [block] = blocks(text)
  return block?.kind === 'text' ? block.parts : []
}

describe('a page of the handbook', () => {
  test('is split at its headings, without its introduction', () => {
    const found = sections(
      'About this file.',
      '## The counter',
      'People sign.',
      '### Drop folders',
      'Files.',
      '#### Deep'
    )
    expect(found.map(({ id, title, level }) => [id, title, level])).toEqual([
      ['guide/the-counter', 'The counter', 2],
      ['guide/drop-folders', 'Drop folders', 3]
    ])
    expect(JSON.stringify(found)).not.toContain('About this file')
    expect(found[1]?.blocks).toEqual([
      { kind: 'text', parts: ['Files.'] },
      { kind: 'heading', parts: ['Deep'] }
    ])
  })

  test('keeps lists, tables and code as data', () => {
    expect(blocks('1. **First**\n   - `inner`', '| a | b |\n|---|---|\n| *c* | d |', '```\n<x>\n```')).toEqual([
      {
        kind: 'list',
        isNumbered: true,
        items: [
          [
            { kind: 'text', parts: [{ kind: 'strong', parts: ['First'] }] },
            { kind: 'list', isNumbered: false, items: [[{ kind: 'text', parts: [{ kind: 'code', text: 'inner' }] }]] }
          ]
        ]
      },
      { kind: 'table', head: [['a'], ['b']], rows: [[[{ kind: 'em', parts: ['c'] }], ['d']]] },
      { kind: 'code', text: '<x>' }
    ])
  })

  test('has the screens’ apostrophes and quotes, except in code', () => {
    expect(parts("It can't be \"so *very* odd\", a `.json`'s `it's`")).toEqual([
      'It can’t be “so ',
      { kind: 'em', parts: ['very'] },
      ' odd”, a ',
      { kind: 'code', text: '.json' },
      '’s ',
      { kind: 'code', text: "it's" }
    ])
  })

  test('may not have the same heading twice, as a link would be ambiguous', () => {
    expect(() => sections('## Send', '## Send')).toThrow(/same heading/)
  })
})

describe('hostile Markdown', () => {
  const HOSTILE = [
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    'Text <b onclick="x()">bold</b> <iframe src="https://evil.example"></iframe>',
    '[a](javascript:alert(1)) [b](data:text/html,x) [c](https://evil.example/guide.md#one) [d](//evil.example/#one)',
    '![pixel](https://evil.example/p.png) <https://evil.example> ![x](#one)'
  ]

  test('stays plain text', () => {
    expect(parts('a <b onclick=x>c</b>').join('')).toBe('a <b onclick=x>c</b>')
    expect(blocks('<script>alert(1)</script>')).toEqual([{ kind: 'text', parts: ['<script>alert(1)</script>'] }])
  })

  test('links only to sections, and embeds no picture', () => {
    const text = JSON.stringify(blocks(...HOSTILE))
    expect(text).not.toContain('"link"')
    expect(text).not.toContain('p.png')
    const kinds = new Set([...text.matchAll(/"kind":"(\w+)"/g)].map(([, kind]) => kind))
    expect([...kinds]).toEqual(['text'])
  })
})

test('links lead to sections of any page, and become text if there is no such section', () => {
  const found = sectionsOf([
    page(
      '## One\n\n[b](#two) [c](administration.md#pin) [d](../docs/administration.md) [e](#gone) [f](security.md)\n\n## Two'
    ),
    page('## PIN', 'administration', 'docs/administration.md')
  ])
  const [block] = found[0]?.blocks ?? []
  const links = (block?.kind === 'text' ? block.parts : []).flatMap((part) =>
    typeof part !== 'string' && part.kind === 'link' ? [part.to] : []
  )
  expect(links).toEqual(['guide/two', 'administration/pin', 'administration/pin'])
})

describe('the search', () => {
  const all = sections(
    '## Sending',
    'To *Rāwiri* and to Łódź.',
    '### Bulk send',
    'A sheet of rows, which is checked first.',
    '## Drafts',
    'Nothing is sent in bulk from here.'
  )
  const idsOf = (typed: string) => search(all, typed).map(({ section }) => section.title)

  test('finds all words anywhere, without accents or capitals, titles first', () => {
    expect(idsOf('bulk')).toEqual(['Bulk send', 'Drafts'])
    expect(idsOf('RAWIRI lodz')).toEqual(['Sending'])
    expect(idsOf('rows bulk')).toEqual(['Bulk send'])
    expect(search(sections('## Wrong', 'An e-mail address.'), 'wrong email').map(({ isNear }) => isNear)).toEqual([
      undefined
    ])
    expect([idsOf('  '), idsOf('nowhere')]).toEqual([[], []])
  })

  test('answers a question with the nearest match if nothing contains all its words', () => {
    expect(search(all, 'How do I check the rows?').map(({ section, isNear }) => [section.title, isNear])).toEqual([
      ['Bulk send', true]
    ])
    expect(search(all, 'rows bulk')[0]).not.toHaveProperty('isNear')
    expect(idsOf('somewhere else entirely rows')).toEqual([])
  })

  test('shows the matching line, cut at words around the match', () => {
    const long = sections('## Long', 'Short.', `${'before '.repeat(30)}needle ${'after '.repeat(40)}`)
    const [found] = search(long, 'needle')
    expect(found?.excerpt).toMatch(/^…before .*before needle after .*after…$/)
    expect(found?.excerpt.length).toBeLessThan(160)
  })

  test('marks matches despite accents and ligatures', () => {
    const markedIn = (text: string, ...words: string[]) =>
      highlight(text, words)
        .map((piece) => (piece.isMarked ? `[${piece.text}]` : piece.text))
        .join('')
    expect(markedIn('Nō Māori – Straße, Ma\u0304ori', 'maori', 'strasse')).toBe('Nō [Māori] – [Straße], [Ma\u0304ori]')
    expect(markedIn('aaa b', 'aa', 'a')).toBe('[aa]a b')
    expect(markedIn('resend the same', 'send', 'a')).toBe('resend the same')
    expect(markedIn('Send a form', 'send', 'a')).toBe('[Send] a form')
    expect(markedIn('none', 'x')).toBe('none')
    expect(highlight('all', [])).toEqual([{ text: 'all', isMarked: false }])
  })
})

test('an outdated address shows the first section of its page, or of all pages', () => {
  const all = sectionsOf([page('## One\n\n### Two\n\n## Three'), page('## New', 'changelog', 'CHANGELOG.md')])
  const at = (id: string) => sectionAt(all, id)?.title
  expect(['guide/three', 'changelog', 'changelog/old', 'guide/x', '', 'x'].map(at)).toEqual([
    ...['Three', 'New', 'New', 'One', 'One', 'One']
  ])
  expect(subsectionsOf(all, all[0] as never).map(({ title }) => title)).toEqual(['Two'])
  expect(subsectionsOf(all, all[2] as never)).toEqual([])
})
