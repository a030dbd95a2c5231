import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { newCredentials, openPracticeOffice, openSaver } from '../../../src/practice/office.ts'
import { aForm, JSON_HEADERS, only } from './practice.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'practice-'))
})
afterEach(() => rm(folder, { recursive: true }))

const ask = async (url: string, body?: object) => {
  const init = body ? { method: 'POST', body: JSON.stringify(body) } : {}
  const response = await fetch(url, { headers: JSON_HEADERS, ...init })
  return response.json()
}

describe('A practice office on a port', () => {
  it('listens on this machine, on a free port, under its base path, until it is closed', async () => {
    const office = await openPracticeOffice({ data: 'demo', basePath: '/web/v1.4' })
    expect(office.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/web\/v1\.4$/)
    const sent = await ask(`${office.url}/FormDirect/SendForms2`, { Forms: [aForm()] })
    const link = only(sent as never).signers[0]?.SigningKey ?? ''
    expect(link.startsWith(`${office.url}/sign/`)).toBe(true)
    expect((await fetch(link)).status).toBe(200)
    await office.close()
    await expect(fetch(office.url)).rejects.toThrow()
  })

  it('answers only requests for this machine’s host names', async () => {
    const office = await openPracticeOffice({ data: 'empty' })
    const { port } = new URL(office.url)
    const statusAs = (host: string) =>
      new Promise((resolve, reject) => {
        const options = {
          port,
          host: '127.0.0.1',
          path: '/Recipient/Recipients.json',
          headers: { Host: `${host}:${port}` }
        }
        get(options, (response) => {
          response.resume()
          resolve(response.statusCode)
        }).on('error', reject)
      })
    expect(await statusAs('127.0.0.1')).toBe(200)
    expect(await statusAs('localhost')).toBe(200)
    expect(await statusAs('rebound.example')).toBe(421)
    await office.close()
  })

  it('reports when the port is taken', async () => {
    const office = await openPracticeOffice({ data: 'empty' })
    const port = Number(new URL(office.url).port)
    await expect(openPracticeOffice({ data: 'empty', port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
    await office.close()
  })
})

describe('An office stored in a file', () => {
  it('survives a restart: packages, keys, employers, signatures', async () => {
    const stateFile = join(folder, 'office.json')
    const first = await openPracticeOffice({ data: 'empty', stateFile })
    const sent = await ask(`${first.url}/FormDirect/SendForms2`, { Forms: [aForm()] })
    await ask(`${first.url}/FormDirect/UpdateEmployers`, { TFN: [{ Reference: 'kept', Name: 'Kept' }] })
    const { document, signers } = only(sent as never)
    const path = new URL(signers[0]?.SigningKey ?? '').pathname
    await first.close()

    const second = await openPracticeOffice({ data: 'demo', stateFile })
    expect(Object.keys(second.service.state.documents)).toEqual([document.Reference])
    const signature = { 'signature-kind': 'typed', 'signature-name': 'A', agree: 'true' }
    await fetch(`${second.url}${path}/document`, { method: 'POST', body: new URLSearchParams(signature) })
    const employers = (await ask(`${second.url}/FormDirect/Employers`)) as { TFN: { Reference: string }[] }
    expect(employers.TFN.map((one) => one.Reference)).toContain('kept')
    await second.close()

    const third = await openPracticeOffice({ stateFile })
    const [signed] = (await ask(`${third.url}/Document/GetActiveDocuments/Signed`)) as { Status: string }[]
    expect(signed?.Status).toBe('Complete')
    await third.close()
    expect(await readdir(folder)).toEqual(['office.json'])
  })

  it('sets aside an unreadable file, and begins again', async () => {
    const stateFile = join(folder, 'office.json')
    for (const unreadable of ['{"version":1,"account"', '{"version":2}', 'null', '[]']) {
      await writeFile(stateFile, unreadable)
      const office = await openPracticeOffice({ data: 'empty', stateFile })
      expect(await readFile(office.setAside ?? '', 'utf8')).toBe(unreadable)
      await office.close()
      expect(JSON.parse(await readFile(stateFile, 'utf8'))).toMatchObject({ version: 1 })
    }
  })

  it('saves what changed while it was saving, and tries again after a save that failed', async () => {
    const state = { count: 0 }
    const saved: string[] = []
    let broken = true
    const keeping = openSaver(
      state,
      {
        load: async () => undefined,
        save: async (text) => {
          if (broken) throw new Error('The disk is full.')
          saved.push(text)
        }
      },
      0
    )
    state.count = 1
    keeping.scheduleSave()
    await expect(keeping.flush()).rejects.toThrow('The disk is full.')
    broken = false
    state.count = 2
    await keeping.flush()
    state.count = 3
    keeping.scheduleSave()
    await keeping.flush()
    await keeping.flush()
    expect(saved).toEqual(['{"count":2}', '{"count":3}'])
  })
})

describe('New credentials', () => {
  it('are what the scheme needs, and different each time', () => {
    expect(newCredentials('none')).toEqual({ scheme: 'none' })
    expect(newCredentials('hmac')).toMatchObject({
      scheme: 'hmac',
      key: expect.any(String),
      secret: expect.any(String),
      referer: expect.stringMatching(/^https:/)
    })
    expect(newCredentials('bearer')).not.toEqual(newCredentials('bearer'))
  })
})
