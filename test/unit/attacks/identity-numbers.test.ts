/** Attacks on the numbers of identity documents: the rows of docs/attacks.md. */
import { expect } from 'vitest'
import type { IdentityKept } from '../../../src/shared/contract/index.ts'
import { identityNumbers } from '../../e2e/attacks/tables/identity-numbers.ts'
import { passportLines } from '../../fixtures/passport-lines.ts'
import { openOffice } from '../counter/office.ts'
import { attempts } from './attempts.ts'

/** Returns what is stored under this policy of the lines that the page sends, once the person has the screen. */
async function storedUnder(policy: IdentityKept, name = 'EXAMPLE<<ANN'): Promise<string> {
  const office = openOffice()
  office.settings.identityKept = policy
  const lines = passportLines(name)
  const turn = { documentReference: 'will', signer: 0, evidence: [], compared: 'matches' as const, lines }
  const { id } = await office.counter.start({ turns: [turn], allowsCamera: false })
  expect(office.numbers).toEqual([])
  await office.counter.begin(id)
  return JSON.stringify([office.numbers, office.notes, office.marker])
}

const CARD = { name: 'Ann Example', number: 'L898902C3', expires: '2031-04-15' }
const typed = async (policy: IdentityKept, printed = CARD) => {
  const office = openOffice()
  office.settings.identityKept = policy
  const turn = { documentReference: 'will', signer: 0, evidence: [], compared: 'matches' as const, printed }
  const { id } = await office.counter.start({ turns: [turn], allowsCamera: false })
  await office.counter.begin(id)
  return JSON.stringify([office.numbers, office.notes, office.marker])
}

attempts(identityNumbers, {
  'have a number kept without a policy': async () => expect(await storedUnder('compared')).not.toContain('02C3'),
  'have all of a number kept where only its end may be': async () =>
    expect(await storedUnder('number-end')).not.toContain('L898902C3'),
  'have the expiry date kept where only the end of the number may be': async () =>
    expect(await storedUnder('number-end')).not.toContain('2012'),
  'have a typed document kept further than its policy says': async () => {
    for (const policy of ['compared', 'number-end'] as const) expect(await typed(policy)).not.toMatch(/L898902C3|2031/)
    expect(await typed('compared')).not.toContain('02C3')
  },
  'have a typed document called a match that isn’t one': async () =>
    await expect(typed('compared', { ...CARD, name: 'Ben Brooks' })).rejects.toMatchObject({
      appError: { code: 'bad-input' }
    }),
  'have a passport that was read called a match that isn’t one': async () =>
    await expect(storedUnder('compared', 'BROOKS<<BEN')).rejects.toMatchObject({ appError: { code: 'bad-input' } }),
  'have a match recorded of a document that nobody read': async () => {
    const turn = { documentReference: 'will', signer: 0, evidence: [], compared: 'matches' as const }
    const started = openOffice().counter.start({ turns: [turn], allowsCamera: false })
    await expect(started).rejects.toMatchObject({ appError: { code: 'bad-input' } })
  }
})
