/**
 * Which certificate from the system's store a service is shown: the one of its account, and none for any other service.
 */
import { describe, expect, test } from 'vitest'
import { BRANCH, NOW, OFFICE, one, opened, PLACE, store, YEAR } from './client-certificate-office.ts'

const refusal = (words: string) =>
  expect.objectContaining({ appError: expect.objectContaining({ message: expect.stringContaining(words) }) })

describe('a service that asks for a certificate', () => {
  test('gets none unless someone chose it', () => {
    expect(opened().certificates.choose(PLACE, store)).toBeUndefined()
  })

  test('gets the one chosen for its account', () => {
    const { certificates } = opened()
    certificates.store('office', OFFICE.baseUrl, one('b', { subject: 'Ada' }))
    expect(certificates.choose(PLACE, store)).toMatchObject({ fingerprint: 'b' })
    expect(certificates.of('office', OFFICE.baseUrl)).toEqual({
      fingerprint: 'b',
      subject: 'Ada',
      issuer: 'Harbour Law Root'
    })
  })

  test('gets none if the account’s address changed to it later', () => {
    const { certificates, list } = opened()
    certificates.store('office', OFFICE.baseUrl, one('a'))
    list[0] = { ...OFFICE, baseUrl: 'https://other.example.com' }
    expect(certificates.choose('other.example.com:443', store)).toBeUndefined()
    expect(certificates.of('office', 'https://other.example.com')).toBeUndefined()
  })

  test('gets the chosen one’s successor: same owner, same issuer, longest validity', () => {
    const { certificates } = opened()
    certificates.store('office', OFFICE.baseUrl, one('old'))
    const renewed = [one('c'), one('d', { validTo: NOW + 2 * YEAR }), one('e', { validTo: NOW - 1 })]
    const others = [one('f', { issuer: 'Another', validTo: NOW + 3 * YEAR }), one('g', { subject: 'Ada' })]
    expect(certificates.choose(PLACE, [...others, ...renewed])).toMatchObject({ fingerprint: 'd' })
    expect(certificates.choose(PLACE, [...others, one('e', { validTo: NOW - 1 })])).toBeUndefined()
  })

  test('gets none once that is what was chosen', () => {
    const { certificates } = opened()
    certificates.store('office', OFFICE.baseUrl, one('a'))
    certificates.store('office', OFFICE.baseUrl, null)
    expect(certificates.choose(PLACE, store)).toBeUndefined()
  })

  test('gets the one under trial during the trial, on new connections before and after', async () => {
    const { certificates, lines } = opened()
    certificates.store('office', OFFICE.baseUrl, one('a'))
    const before = lines()
    const shown = await certificates.withCertificate(OFFICE.baseUrl, one('b', { subject: 'Ada' }), async () => {
      expect(lines()).toBe(before + 1)
      return certificates.choose(PLACE, store)?.fingerprint
    })
    expect(shown).toBe('b')
    const none = await certificates.withCertificate(OFFICE.baseUrl, null, async () => certificates.choose(PLACE, store))
    expect(none).toBeUndefined()
    expect(lines()).toBe(before + 4)
    expect(certificates.choose(PLACE, store)).toMatchObject({ fingerprint: 'a' })
  })
})

test('a trial that was given up doesn’t take the certificate of a later one for the same service', async () => {
  const { certificates } = opened()
  const isOver = Promise.withResolvers<void>()
  const givenUp = certificates.withCertificate(OFFICE.baseUrl, one('a'), () => isOver.promise)
  const shown = await certificates.withCertificate(OFFICE.baseUrl, one('b', { subject: 'Ada' }), async () => {
    isOver.resolve()
    await givenUp
    return certificates.choose(PLACE, store)?.fingerprint
  })
  expect(shown).toBe('b')
  expect(certificates.choose(PLACE, store)).toBeUndefined()
})

describe('the certificates that the system offers a service', () => {
  test('are those offered during the request, without expired ones', async () => {
    const { certificates } = opened()
    const found = await certificates.listOffered(OFFICE.baseUrl, async () => {
      certificates.choose(PLACE, [...store, one('over', { validTo: NOW - 1 })])
      throw new Error('It insists on one.')
    })
    expect(found).toEqual(store)
  })

  test('are all found, even if a search that someone left ends during the next', async () => {
    const { certificates } = opened()
    const isOver = Promise.withResolvers<void>()
    const left = certificates.listOffered(OFFICE.baseUrl, () => isOver.promise)
    const found = await certificates.listOffered(OFFICE.baseUrl, async () => {
      isOver.resolve()
      await left
      certificates.choose(PLACE, store)
    })
    expect(found).toEqual(store)
  })

  test('are none if the service doesn’t ask for one', async () => {
    expect(await opened().certificates.listOffered(OFFICE.baseUrl, async () => undefined)).toEqual([])
  })
})

test('accounts of one service share its certificate, and a conflicting account is named', () => {
  const { certificates } = opened([OFFICE, BRANCH])
  certificates.store('office', OFFICE.baseUrl, one('a'))
  expect(() => certificates.checkChoice(BRANCH.baseUrl, one('b'))).toThrow(
    refusal('“Office” uses a different certificate')
  )
  expect(() => certificates.checkChoice(BRANCH.baseUrl, one('a'))).not.toThrow()
  expect(() => certificates.checkChoice(OFFICE.baseUrl, one('b'), 'office')).not.toThrow()
  expect(() => certificates.checkChoice('https://other.example.com', one('b'))).not.toThrow()
})

test('an unencrypted address has none', async () => {
  const { certificates } = opened()
  expect(() => certificates.checkChoice('http://127.0.0.1:4100', one('a'))).toThrow(refusal('https://'))
  await expect(certificates.listOffered('http://127.0.0.1:4100', async () => undefined)).rejects.toThrow(
    refusal('https://')
  )
  certificates.store('office', 'http://127.0.0.1:4100', one('a'))
  expect(certificates.choose('127.0.0.1:4100', store)).toBeUndefined()
})
