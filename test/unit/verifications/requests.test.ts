/** The screens' requests about verifications: only for the chosen account, and never while a signer has the screen. */
import { expect, test } from 'vitest'
import type { RequestContext, RequestHandlers } from '../../../src/main/ipc/registration.ts'
import { verificationHandlers } from '../../../src/main/ipc/verifications.ts'
import {
  type DecodedInput,
  handedOverRequestNames,
  type Input,
  personRequestNames,
  type RequestName,
  requestNames,
  requests
} from '../../../src/shared/contract/index.ts'
import { anOffice, NOT_VALID } from './office.ts'

type VerificationRequest =
  | Extract<RequestName, `verifications.${string}`>
  | 'documents.validate'
  | 'documents.verifications'
  | 'documents.saveValidation'

async function openHandlers() {
  const at = await anOffice()
  const saved: string[] = []
  const handlers: Pick<RequestHandlers, VerificationRequest> = verificationHandlers({
    accounts: at.office.accounts,
    verifications: at.verifications,
    chooseSaveFile: async (...args) => {
      saved.push(JSON.stringify(args))
      return undefined
    }
  })
  const context: RequestContext = { from: 'office', stillAsking: () => true }
  return {
    at,
    saved,
    ask<Name extends VerificationRequest>(name: Name, input: Input<Name>) {
      return handlers[name](requests[name].input.parse(input) as DecodedInput<Name>, context)
    }
  }
}

test('a verification can be requested, listed, saved and dismissed', async () => {
  const { ask, at, saved } = await openHandlers()
  at.answer(NOT_VALID)
  const { id } = await ask('documents.validate', { reference: 'R1' })
  expect(await ask('documents.verifications', { reference: 'R1' })).toMatchObject({
    last: { id },
    total: 1,
    missing: 0
  })
  expect(await ask('verifications.list', { since: 0, limit: 10 })).toMatchObject({ verifications: [{ id }], total: 1 })
  expect(await ask('verifications.list', { since: Date.now() + 60_000, limit: 10 })).toEqual({
    verifications: [],
    total: 0
  })
  expect(await ask('verifications.open', { limit: 10 })).toMatchObject({ verifications: [{ id }], total: 1 })
  await ask('documents.saveValidation', { reference: 'R1' })
  expect(saved).toEqual([expect.stringContaining('R1 - signatures.json')])
  await ask('verifications.dismiss', { id })
  expect(await ask('verifications.open', { limit: 10 })).toEqual({ verifications: [], total: 0 })
})

test('valid results can be filtered out', async () => {
  const { ask, at } = await openHandlers()
  await ask('documents.validate', { reference: 'R1' })
  at.answer(NOT_VALID)
  await ask('documents.validate', { reference: 'R2' })
  const { verifications } = await ask('verifications.list', { since: 0, notValid: true, limit: 10 })
  expect(verifications.map(({ reference }) => reference)).toEqual(['R2'])
})

test('another account’s verifications are inaccessible', async () => {
  const { ask, at } = await openHandlers()
  at.answer(NOT_VALID)
  const { id } = await ask('documents.validate', { reference: 'R1' })
  const other = await at.office.accounts.add({
    kind: 'service',
    name: 'Other office',
    baseUrl: at.server.url,
    authentication: { scheme: 'none' }
  })
  at.office.accounts.choose(other.id)
  expect(await ask('documents.verifications', { reference: 'R1' })).toEqual({ verifications: [], total: 0, missing: 0 })
  expect(await ask('verifications.open', { limit: 10 })).toEqual({ verifications: [], total: 0 })
  await expect(ask('verifications.dismiss', { id })).rejects.toThrow()
})

test('these requests are refused from the person’s page and from a screen handed over', () => {
  const about = requestNames.filter((name) => /^verifications\.|verif|validat/i.test(name))
  expect(about.length).toBeGreaterThanOrEqual(6)
  const allowed = new Set<RequestName>([...personRequestNames, ...handedOverRequestNames])
  expect(about.filter((name) => allowed.has(name))).toEqual([])
})
