import { fireEvent, screen, waitFor } from '@testing-library/svelte'
import { describe, expect, test } from 'vitest'
import Compose from '../../src/renderer/src/screens/compose/Compose.svelte'
import {
  itemOfTemplate,
  omissionsOf,
  packageOfTemplate,
  replacedTemplate,
  signersFrom
} from '../../src/renderer/src/screens/compose/edits.ts'
import { Composition } from '../../src/shared/composition/composition.ts'
import { signersInWords, titleOf } from '../../src/shared/composition/names.ts'
import type { TemplateView } from '../../src/shared/contract/views.ts'
import { form, forms, signer, template, templates } from '../fixtures/compositions.ts'
import { fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'
import { NOW } from './people.ts'

let opened: Opened

async function openDraft(composition: Composition) {
  const summary = {
    kind: composition.kind,
    title: titleOf(composition),
    who: signersInWords(composition),
    updatedAt: NOW
  }
  const draft = { id: 'draft-1', accountId: 'practice', ...summary, composition }
  opened = await openOffice(fakeApi({ drafts: [draft] }))
  opened.app.router.go('compose', ['draft-1'])
  const rendered = show(opened, Compose)
  await screen.findByRole('heading', { name: /^Send (forms|documents)$/ })
  await settle()
  return rendered
}

async function stored(): Promise<Composition> {
  await settle()
  await opened.clock.pass(300)
  return opened.api.control.state.drafts.find((draft) => draft.id === 'draft-1')?.composition as Composition
}

const user = (key: string, FirstName: string) => ({
  key,
  FirstName,
  MiddleName: '',
  LastName: 'Brooks',
  Email: `${FirstName.toLowerCase()}@example.com`,
  IsDefault: false,
  IsOwner: false
})
const field = (key: string) => ({
  key,
  Label: `Field ${key}`,
  Value: key,
  FieldType: 'Text' as const,
  IsRequired: false,
  Reference: key,
  ReadOnly: false,
  ClientField: ''
})
const question = (key: string, Label: string) => ({ key, Label, Value: '12345', DataType: 'text' as const })
const choice = (key: string, Item: string) => ({ key, ClientField: 'shift', Item, Value: Item })

const form2 = () =>
  form({ key: 'f2', Name: 'Second', XMLData: '<kept/>', signers: [signer({ key: 's9', FirstName: 'Anahera' })] })

async function chooseRemoval(name: RegExp) {
  const trigger = screen.getByRole('button', { name })
  trigger.focus()
  await fireEvent.keyDown(trigger, { key: 'Enter' })
  await fireEvent.click(await screen.findByRole('menuitem', { name: 'Remove' }))
  await waitFor(() => expect(screen.queryByRole('menu')).toBeNull())
}
const press = (name: string | RegExp, index = 0) =>
  fireEvent.click(screen.getAllByRole('button', { name })[index] as HTMLElement)

const removals: [what: string, Composition, remove: () => Promise<unknown>, back: string][] = [
  [
    'a form with its signers and data',
    forms({ items: [form2(), form()] }),
    () => press('Remove this form'),
    'at:f2.Name'
  ],
  [
    'a person',
    forms({ items: [form({ signers: ['Mere', 'Tama', 'Grace'].map((one) => signer({ key: one, FirstName: one })) })] }),
    () => chooseRemoval(/^Actions for Tama/),
    'at:f1.signers.Tama.FirstName'
  ],
  [
    'an identity question',
    forms({
      items: [form({ signers: [signer({ UseIDData: true, IDData: [question('a', 'Born'), question('b', 'Pet')] })] })]
    }),
    () => press('Remove “Born”'),
    'at:f1.signers.s1.IDData.a.Label'
  ],
  [
    'a person it is shared with',
    forms({ items: [form({ signers: [signer({ ShareUsers: [user('a', 'Tama'), user('b', 'Grace')] })] })] }),
    () => press('Stop sharing with Grace'),
    'at:f1.signers.s1.ShareUsers.b.FirstName'
  ],
  [
    'a choice',
    forms({ ListItems: ['a', 'b', 'c'].map((one) => choice(one, one)) }),
    () => press('Remove this choice', 1),
    'at:ListItems.b.Item'
  ],
  [
    'a field',
    templates({ items: [template({ fields: ['a', 'b', 'c'].map(field) })] }),
    async () => {
      await press('Show field details')
      await press('Remove “Field b”')
    },
    'at:t1.fields.b.Label'
  ]
]

describe('undoing a removal', () => {
  test.each(removals)('restores %s in its place', async (_what, composition, remove, back) => {
    await openDraft(composition)
    await remove()
    expect(await stored()).not.toEqual(composition)
    const toast = opened.app.toasts.shown.at(-1)
    expect(toast?.action?.label).toBe('Undo')
    toast?.action?.run()
    expect(await stored()).toEqual(composition)
    expect(document.activeElement?.id).toBe(back)
  })

  test('is no longer offered once the composer is closed', async () => {
    const rendered = await openDraft(forms({ items: [form2(), form()] }))
    await press('Remove this form')
    expect(opened.app.toasts.shown).toHaveLength(1)
    rendered.unmount()
    await settle()
    expect(opened.app.toasts.shown.filter(({ action }) => action)).toEqual([])
  })
})

describe('removing the only signer face to face', () => {
  const tick = (index: number) => fireEvent.click(screen.getAllByLabelText('Face to face')[index] as HTMLElement)
  const undo = () => opened.app.toasts.shown.at(-1)?.action?.run()
  const remaining = form({
    signers: [signer({ key: 'a', FirstName: 'Mere' }), signer({ key: 'b', FirstName: 'Tama' })]
  })

  test('turns off signing in this application, which would leave the others without an invitation', async () => {
    await openDraft(forms({ items: [remaining] }))
    await tick(1)
    expect(await stored()).toMatchObject({ embedded: true })
    await chooseRemoval(/^Actions for Tama/)
    expect(await stored()).toMatchObject({ embedded: false })
    undo()
    expect(await stored()).toMatchObject({ embedded: true, items: [{ signers: [{}, { faceToFace: true }] }] })
  })

  test('with their form turns it off, too, but not if it was turned on by itself', async () => {
    await openDraft(forms({ items: [form2(), remaining] }))
    await tick(0)
    await press('Remove this form')
    expect(await stored()).toMatchObject({ embedded: false })
    undo()
    expect(await stored()).toMatchObject({ embedded: true })
    await tick(0)
    const here = screen.getByRole('checkbox', { name: 'Sign in this application' })
    await fireEvent.click(here)
    await tick(0)
    await press('Remove this form')
    expect(await stored()).toMatchObject({ embedded: true })
  })
})

describe('using the same signers as another template', () => {
  const people = ['Mere', 'Tama'].map((FirstName, index) => signer({ key: `p${index}`, FirstName, faceToFace: true }))
  let next = 0
  const newKey = () => `new-${next++}`

  test('keeps each of the template’s signer references', () => {
    const item = template({
      signers: ['tenant', 'landlord', 'witness'].map((SignerReference) =>
        signer({ key: SignerReference, SignerReference, FirstName: '' })
      )
    })
    expect(signersFrom(item, people, newKey)).toMatchObject([
      { FirstName: 'Mere', faceToFace: true, SignerReference: 'tenant' },
      { FirstName: 'Tama', SignerReference: 'landlord' },
      { FirstName: '', SignerReference: 'witness' }
    ])
  })

  test('can be undone', async () => {
    const composition = templates({ items: [template(), template({ key: 't2', signers: people })] })
    await openDraft(composition)
    await press(/^Same signers as/)
    expect((await stored()).items[1]?.signers).toHaveLength(1)
    opened.app.toasts.shown.at(-1)?.action?.run()
    expect(await stored()).toEqual(composition)
  })

  test('keeps the signers when the replacement template defines none', () => {
    const before = template({ signers: [signer({ SignerReference: 'tenant' })], fields: [field('rent')] })
    const after = replacedTemplate(before, { Reference: 'tpl-2', Name: 'Other' } as TemplateView, newKey)
    expect(after).toMatchObject({ Reference: 'tpl-2', signers: before.signers, fields: before.fields })
  })
})

describe('a template that exceeds the limits of a package', () => {
  const huge = {
    Reference: 'tpl-huge',
    Name: 'Huge',
    Fields: Array.from({ length: 2003 }, (_, index) => ({ Reference: String(index), Value: 'x'.repeat(10_001) })),
    Signers: Array.from({ length: 201 }, () => ({ FirstName: 'Mere' }))
  } as unknown as TemplateView

  test('is used up to those limits', () => {
    const item = itemOfTemplate(huge, () => 'k')
    expect(Composition.safeParse(templates({ items: [item] })).success).toBe(true)
    expect(item.fields).toHaveLength(2000)
  })

  test('with a signer face to face is signed in this application from the start', () => {
    const template = (isHere: boolean) =>
      ({ Reference: 'tpl-1', Name: 'Deed', Signers: [{ IsFaceToFaceSigning: isHere }] }) as TemplateView
    expect([true, false].map((isHere) => packageOfTemplate(template(isHere), () => 'k').embedded)).toEqual([
      true,
      false
    ])
  })

  test('is described with what was left out', () => {
    expect(omissionsOf(huge)).toBe(
      '“Huge” is too large for one package. Left out: 3 fields, 1 signer and text over 10,000 characters.'
    )
    expect(omissionsOf({ Reference: 'tpl-1', Name: 'Small' } as TemplateView)).toBeUndefined()
  })
})
