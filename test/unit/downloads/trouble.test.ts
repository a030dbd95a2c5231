/** Failures to fetch identity data: which downloads each affects, how long it is retried, and that nothing is lost. */
import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { aDocument } from '../../fixtures/download-office.ts'
import { type Answer, pdfOf, sendPdf } from '../../fixtures/pdf-server.ts'
import { anOffice, CHOICE, names, stalling, until } from './office.ts'

/** Returns an office with twenty files queued, none of which progress because the service answers like this. */
async function heldBy(answer: Answer) {
  const at = await anOffice()
  const { office, server } = at
  server.answer = answer
  await office.showDocuments(names(20).map((name) => aDocument(name)))
  office.downloads.startFetching()
  await at.add(names(20))
  await until(() => office.downloads.summary(office.accountId).problem !== undefined && at.counts().running === 0)
  return at
}

async function goesOnOnceItIsOver({ office, server, files }: Awaited<ReturnType<typeof anOffice>>): Promise<void> {
  server.answer = (reference, response) => sendPdf(reference, response)
  office.downloads.connectionChanged()
  await office.whenIdle()
  expect(files()).toHaveLength(20)
}

describe('a problem', () => {
  test('with a document fails only that one, until it is retried', async () => {
    const at = await anOffice()
    const { office, server } = at
    server.answer = (reference, response) => {
      if (reference === 'R1') response.writeHead(404).end()
      else if (reference === 'R2') response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sorry</h1>')
      else sendPdf(reference, response)
    }
    await office.showDocuments(['R1', 'R2', 'R3'].map((name) => aDocument(name)))
    office.downloads.startFetching()
    await at.add(['R1', 'R2', 'R3'])
    await office.whenIdle()
    expect(
      at
        .list(['failed'])
        .map(({ documentReference }) => documentReference)
        .sort()
    ).toEqual(['R1', 'R2'])
    for (const { error } of at.list(['failed'])) expect(error?.message).toBeTruthy()
    expect(at.files()).toEqual(['Lease R3.identity.pdf'])
    server.answer = (reference, response) => sendPdf(reference, response)
    await office.downloads.retryFailed(office.accountId)
    await office.whenIdle()
    expect(at.files()).toHaveLength(3)
  })

  test('with the credentials holds all the account’s downloads, and is reported once', async () => {
    const at = await heldBy((_reference, response) => void response.writeHead(401).end())
    const { office, server } = at
    await pause(50)
    expect(office.downloads.summary(office.accountId)).toMatchObject({
      counts: { waiting: 20, failed: 0 },
      problem: { code: 'unauthorised' }
    })
    expect(server.requested.length).toBeLessThanOrEqual(4)
    await goesOnOnceItIsOver(at)
  })

  test('with the connection is waited out, and interrupted downloads start again', async () => {
    const at = await anOffice()
    const { office, server } = at
    const broken = new Set<string>()
    server.answer = (reference, response) => {
      if (broken.has(reference)) return sendPdf(reference, response)
      broken.add(reference)
      const pdf = pdfOf(reference)
      response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': pdf.length })
      response.write(pdf.subarray(0, 20_000), () => response.destroy())
    }
    await office.showDocuments(names(6).map((name) => aDocument(name)))
    office.downloads.startFetching()
    await at.add(names(6))
    await until(() => at.list(['waiting']).some(({ retryAt }) => retryAt !== undefined) && at.counts().running === 0)
    expect(at.files()).toEqual([])
    while (at.counts().done < 6) {
      office.downloads.connectionChanged()
      await pause(20)
    }
    expect(at.files()).toEqual(names(6).map((name) => `Lease ${name}.identity.pdf`))
    expect(at.counts()).toMatchObject({ failed: 0 })
  })

  test('with the folder holds its downloads until the folder is back', async () => {
    const at = await anOffice()
    const { office, server } = at
    await office.showDocuments(names(20).map((name) => aDocument(name)))
    renameSync(office.files, `${office.files} away`)
    office.downloads.startFetching()
    await at.add(names(20))
    await until(() => office.downloads.summary(office.accountId).problem !== undefined && at.counts().running === 0)
    await pause(50)
    expect(office.downloads.summary(office.accountId)).toMatchObject({
      counts: { waiting: 20, failed: 0 },
      problem: { code: 'not-writable' }
    })
    expect(server.requested.length).toBeLessThanOrEqual(4)
    renameSync(`${office.files} away`, office.files)
    office.downloads.resume(office.accountId)
    await office.whenIdle()
    expect(at.files()).toHaveLength(20)
  })

  test('with a closed service fails no download, even after many attempts', async () => {
    const at = await anOffice()
    const { office, server } = at
    const cutShort = pdfOf('closed').subarray(0, 500)
    server.answer = (_reference, response) => sendPdf('', response, cutShort)
    await office.showDocuments(names(3).map((name) => aDocument(name)))
    office.downloads.startFetching()
    await at.add(names(3))
    while (server.requested.length < 40) {
      office.downloads.connectionChanged()
      await pause(10)
    }
    expect(at.counts()).toMatchObject({ failed: 0, done: 0 })
    server.answer = (reference, response) => sendPdf(reference, response)
    while (at.counts().done < 3) {
      office.downloads.connectionChanged()
      await pause(10)
    }
    expect(at.files()).toHaveLength(3)
  })

  test('with one document, while others succeed, is given up eventually', async () => {
    const at = await anOffice()
    const { office, server } = at
    server.answer = (reference, response) =>
      sendPdf(reference, response, reference === 'BAD' ? pdfOf('BAD').subarray(0, 500) : undefined)
    await office.showDocuments([aDocument('BAD'), ...names(60).map((name) => aDocument(name))])
    office.downloads.startFetching()
    await at.add(['BAD'])
    const attempts = () => server.requested.filter((reference) => reference === 'BAD').length
    const hurriedUntil = async (what: () => boolean) => {
      while (!what()) {
        office.downloads.connectionChanged()
        await pause(5)
      }
    }
    for (const [index, name] of names(60).entries()) {
      if (at.counts().failed > 0) break
      await at.add([name])
      await hurriedUntil(() => at.counts().done > index)
      const before = attempts()
      await hurriedUntil(() => at.counts().failed > 0 || (attempts() > before && at.counts().running === 0))
    }
    expect(at.list(['failed'])).toMatchObject([{ documentReference: 'BAD', error: { code: 'incomplete' } }])
    expect(at.counts().done).toBeGreaterThan(5)
  })

  test('with a network that requires a login holds everything until someone has logged in', async () => {
    const page = '<html><title>Sign in to the network</title><form><input type="password"></form></html>'
    const at = await heldBy(
      (_reference, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(page)
    )
    expect(at.counts()).toMatchObject({ waiting: 20, failed: 0 })
    await goesOnOnceItIsOver(at)
  })

  test('with such a network gives no signed document up either', async () => {
    const at = await anOffice()
    const { office, server } = at
    const working = server.validate
    server.validate = (_reference, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in to the network</h1>')
    await office.showDocuments(names(3).map((name) => aDocument(name)))
    office.rights.signedDocuments = 'yes'
    office.downloads.startFetching()
    await at.add(names(3), { ...CHOICE, types: ['signed'] })
    await until(() => office.downloads.summary(office.accountId).problem !== undefined && at.counts().running === 0)
    expect(office.downloads.summary(office.accountId)).toMatchObject({
      counts: { waiting: 3, failed: 0 },
      problem: { code: 'not-json' }
    })
    server.validate = working
    office.downloads.connectionChanged()
    await office.whenIdle()
    expect(at.files()).toHaveLength(3)
  })

  test('with one folder isn’t reported while another folder’s downloads progress', async () => {
    const at = await anOffice()
    const { office, server } = at
    const second = join(at.folder, 'Second')
    mkdirSync(second)
    const otherFolderId = office.downloads.folders.register(second).id
    rmSync(second, { recursive: true })
    await office.showDocuments(names(12).map((name) => aDocument(name)))
    office.downloads.startFetching()
    const choice = { ...CHOICE, folderId: otherFolderId }
    await office.downloads.add(office.accountId, { references: names(6) }, choice)
    await until(() => office.downloads.summary(office.accountId).problem !== undefined)
    const letGo = stalling(server)
    await at.add(names(12).slice(6))
    await until(() => at.counts().running >= 4)
    expect(office.downloads.summary(office.accountId)).not.toHaveProperty('problem')
    letGo()
    await until(() => at.files().length === 6)
    await until(() => office.downloads.summary(office.accountId).problem !== undefined)
  })
})
