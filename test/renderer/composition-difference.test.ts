import { expect, test } from 'vitest'
import { differencesOf } from '../../src/renderer/src/words/composition-difference.ts'
import type { Composition } from '../../src/shared/composition/composition.ts'
import { blankSigner } from '../../src/shared/composition/composition.ts'
import { form, forms, signer, template, templates } from '../fixtures/compositions.ts'

const two = [signer(), signer({ key: 's2', FirstName: 'Tama', LastName: 'Brooks', Email: 'tama.brooks@example.com' })]
const own = { embedded: false, ReturnUrl: 'https://office.example.com/own', NotifyUrl: '' }

test('a package doesn’t differ from itself', () => {
  const composition = forms()
  expect(differencesOf(composition, structuredClone(composition))).toEqual([])
})

test('every change is reported, even a single space', () => {
  const composition = forms({ items: [form({ signers: two, own })] })
  for (const change of changesOf(composition)) {
    expect(differencesOf(composition, change.composition), change.at).not.toEqual([])
  }
})

test.each<[string, Composition, Composition, object]>([
  [
    'an added signer',
    forms({ items: [form({ signers: two })] }),
    forms(),
    { what: 'Signer Tama Brooks', now: 'included', earlier: 'not included' }
  ],
  [
    'a removed signer',
    forms(),
    forms({ items: [form({ signers: two })] }),
    { what: 'Signer Tama Brooks', now: 'not included', earlier: 'included' }
  ],
  [
    'a changed e-mail address',
    forms(),
    forms({ items: [form({ signers: [signer({ Email: '' })] })] }),
    { what: 'E-mail address of Mere Tamati', now: 'mere.tamati@example.com', earlier: 'none' }
  ],
  [
    'a changed order of the same signers',
    forms({ items: [form({ signers: two })] }),
    forms({ items: [form({ signers: [...two].reverse() })] }),
    {
      what: 'Order of the signers of Tax file declaration',
      now: 'Mere Tamati and Tama Brooks',
      earlier: 'Tama Brooks and Mere Tamati'
    }
  ],
  [
    'a removed form',
    forms(),
    forms({ items: [form(), form({ key: 'f2', Name: 'Choice of fund' })] }),
    { what: 'Form Choice of fund', now: 'not included', earlier: 'included' }
  ],
  [
    'options for a single form',
    forms({ items: [form({ own })] }),
    forms(),
    { what: 'Own signing and redirects in Tax file declaration', now: 'yes', earlier: 'no' }
  ],
  [
    'a form’s own redirect',
    forms({ items: [form({ own })] }),
    forms({ items: [form({ own: { ...own, ReturnUrl: '' } })] }),
    { what: 'Redirect after signing of Tax file declaration', now: own.ReturnUrl, earlier: 'none' }
  ],
  [
    'a due date',
    forms(),
    forms({ due: '2025-12-05T17:00', gmt: '780' }),
    { what: 'Due date', now: 'none', earlier: 'Friday 5 December 2025 at 17:00, UTC+13:00' }
  ],
  [
    'signing in order',
    templates(),
    templates({ Sequential: true }),
    { what: 'Signers sign in order', now: 'no', earlier: 'yes' }
  ]
])('%s is described', (_name, now, earlier, difference) => {
  expect(differencesOf(now, earlier)).toEqual([difference])
})

test('changed fields are counted, and identity answers are never shown', () => {
  const field = { Label: '', IsRequired: false, ReadOnly: false, ClientField: '', FieldType: 'Text' as const }
  const fields = [
    { ...field, key: 'a', Reference: 'rent', Value: '500' },
    { ...field, key: 'b', Reference: 'bond', Value: '2000' }
  ]
  const changed = fields.map((one) => (one.key === 'a' ? { ...one, Value: '550' } : one))
  expect(
    differencesOf(templates({ items: [template({ fields })] }), templates({ items: [template({ fields: changed })] }))
  ).toEqual([{ what: 'Fields of Residential tenancy', now: '2', earlier: '2, 1 of them different' }])
  const answer = (Value: string) => [{ key: 'q', Label: 'Born', Value, DataType: 'date' as const }]
  const differences = differencesOf(
    forms({ items: [form({ signers: [signer({ IDData: answer('1990-01-01') })] })] }),
    forms({ items: [form({ signers: [signer({ IDData: answer('1991-02-02') })] })] })
  )
  expect(differences).toHaveLength(1)
  expect(JSON.stringify(differences)).not.toContain('199')
})

test('a signer without a name is described too', () => {
  expect(differencesOf(forms({ items: [form({ signers: [signer(), blankSigner('new')] })] }), forms())).toEqual([
    { what: 'Signer (no name)', now: 'included', earlier: 'not included' }
  ])
})

/** Yields the composition with each of its texts and switches changed in turn. */
function* changesOf(composition: Composition): Iterable<{ at: string; composition: Composition }> {
  const places: string[][] = []
  const walk = (value: unknown, path: string[]) => {
    if (typeof value === 'object' && value !== null) {
      for (const [key, inside] of Object.entries(value))
        if (key !== 'key' && key !== 'kind') walk(inside, [...path, key])
    } else places.push(path)
  }
  walk(composition, [])
  for (const path of places) {
    const copy = structuredClone(composition)
    const last = path.at(-1) ?? ''
    const parent = path.slice(0, -1).reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], copy)
    const holder = parent as Record<string, unknown>
    holder[last] = typeof holder[last] === 'boolean' ? !holder[last] : `${holder[last]} `
    yield { at: path.join('.'), composition: copy }
  }
}
