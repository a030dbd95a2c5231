import { describe, expect, test } from 'vitest'
import type { AuditNote } from '../../../src/main/core/audit/audit.ts'
import {
  type CounterPolicy,
  CounterSettingsKeeper,
  DEFAULT_SETTINGS as FIRST_KEPT
} from '../../../src/main/core/counter/counter-settings.ts'
import type { Db } from '../../../src/main/core/storage/connection.ts'
import { openMeta } from '../../../src/main/core/storage/meta.ts'
import { database } from './office.ts'
import { JPEG, PNG, png } from './pictures.ts'

const refusal = (error: object) => ({ appError: error })
/** Offered until an administrator removes some. */
const OFFERED = ['mi', 'sm', 'to', 'zh-Hans', 'hi', 'pa', 'ar']
const pngUrl = `data:image/png;base64,${PNG.toString('base64')}`

function office() {
  const db = database()
  const notes: AuditNote[] = []
  const notified = { changed: 0 }
  const display: { name?: string } = {}
  /** Starts a run of the application. */
  const run = (other: Db = db, organisation: CounterPolicy = {}) =>
    new CounterSettingsKeeper({
      db: other,
      organisation: () => organisation,
      userName: () => 'grace',
      otherDisplay: () => display.name,
      note: (record) => void notes.push(record),
      changed: () => {
        notified.changed += 1
      }
    })
  return { db, notes, notified, display, run, meta: openMeta(db) }
}

/** The first settings, with what an office doesn't set for itself. */
const FIRST_SETTINGS = { ...FIRST_KEPT, identityKept: 'compared' as const }

describe('the counter’s settings', () => {
  test('have usable defaults', () => {
    const settings = office().run()
    expect(settings.read()).toEqual({
      identityKept: 'compared',
      staffName: '',
      evidence: [
        { id: expect.any(String), text: 'Photo ID seen', isRequired: false },
        { id: expect.any(String), text: 'Name matches the document', isRequired: false }
      ],
      idleText: 'Welcome',
      fullScreen: true,
      useOtherDisplay: false,
      idle: { warnAfter: 120, coverAfter: 30, endAfter: 300 },
      lockAfter: 0,
      allowedOrigins: [],
      mayKeepPages: false,
      languages: OFFERED,
      moreTime: 3,
      mayGiveFiles: false,
      camera: '',
      receipt: 'on-request',
      waitingRoom: { counterName: '', noShowAfter: 15, callSound: false, pictures: [] }
    })
    expect(settings.idleScreen()).toEqual({ text: 'Welcome', languages: OFFERED, callSound: false, pictures: [] })
  })

  test('are merged with a change, survive a restart, and announce changes', () => {
    const { run, notified } = office()
    const changes = { idleText: 'Haere mai', idle: { warnAfter: 60, coverAfter: 20, endAfter: 120 } }
    expect(run().configure(changes)).toEqual({ ...FIRST_SETTINGS, ...changes })
    expect(run().read()).toEqual({ ...FIRST_SETTINGS, ...changes })
    expect(run().configure({ idleText: undefined, mayKeepPages: true })).toMatchObject({
      idleText: 'Haere mai',
      mayKeepPages: true
    })
    expect(notified.changed).toBe(2)
  })

  test('are recorded in the audit trail with old and new values', () => {
    const { run, notes } = office()
    const settings = run()
    settings.configure({ allowedOrigins: ['https://id.example.com', 'https://cdn.example.com'], fullScreen: false })
    settings.configure({ fullScreen: false })
    settings.configure({ allowedOrigins: [] })
    settings.configure({ camera: 'Desk camera (046d:0825)' })
    expect(notes.splice(2)).toEqual([
      {
        what: 'settings-changed',
        detail: {
          changed: 'camera for signing pages',
          'camera for signing pages': 'automatic → Desk camera (046d:0825)'
        }
      }
    ])
    expect(notes).toEqual([
      {
        what: 'settings-changed',
        detail: {
          changed: 'full screen, allowed addresses',
          'full screen': 'on → off',
          'allowed addresses': 'none → https://id.example.com, https://cdn.example.com'
        }
      },
      {
        what: 'settings-changed',
        detail: {
          changed: 'allowed addresses',
          'allowed addresses': 'https://id.example.com, https://cdn.example.com → none'
        }
      }
    ])
  })

  test('are recorded in words: the checklist in full, times, the logo’s size, and long texts cut', () => {
    const { run, notes } = office()
    const settings = run()
    settings.setLogo(PNG)
    settings.configure({
      evidence: [{ id: 'one', text: 'Passport seen', isRequired: true }],
      idle: { warnAfter: 60, coverAfter: 20, endAfter: 120 },
      lockAfter: 5,
      idleText: 'x'.repeat(400)
    })
    expect(notes[0]?.detail?.logo).toMatch(/^none → a picture of \d+ characters$/)
    expect(notes[1]?.detail).toMatchObject({
      checklist: 'Photo ID seen; Name matches the document → Passport seen (required)',
      'idle times': '120 s, 30 s, 300 s → 60 s, 20 s, 120 s',
      'automatic lock': '0 → 5'
    })
    expect(notes[1]?.detail?.['welcome message']?.length).toBeLessThan(320)
  })

  test('name the staff member: the configured name, or else the computer’s user', () => {
    const settings = office().run()
    expect(settings.staff()).toBe('grace')
    settings.configure({ staffName: 'Grace Okafor' })
    expect(settings.staff()).toBe('Grace Okafor')
    expect(settings.configure({ staffName: '' }).staffName).toBe('')
    expect(settings.staff()).toBe('grace')
  })

  test('name the second display while there is one', () => {
    const { run, display } = office()
    const settings = run()
    display.name = 'DELL U2419H'
    expect(settings.read().otherDisplay).toBe('DELL U2419H')
    delete display.name
    expect(settings.read()).not.toHaveProperty('otherDisplay')
  })

  test('accept any checklist, even an empty one, but no line twice', () => {
    const { run } = office()
    const evidence = [
      { id: 'b', text: 'Passport', isRequired: true },
      { id: 'a', text: 'Letter of the bank', isRequired: false }
    ]
    const settings = run()
    expect(settings.configure({ evidence }).evidence).toEqual(evidence)
    expect(() => settings.configure({ evidence: [...evidence, evidence[0] as (typeof evidence)[0]] })).toThrow(
      expect.objectContaining(refusal(expect.objectContaining({ code: 'bad-input' })))
    )
    expect(run().read().evidence).toEqual(evidence)
    expect(settings.configure({ evidence: [] }).evidence).toEqual([])
    expect(run().read().evidence).toEqual([])
  })
})

describe('addresses allowed in signing pages', () => {
  test('are normalised, without duplicates', () => {
    const { run } = office()
    const allowedOrigins = ['https://ID.example.com/', 'https://id.example.com:443', 'https://bücher.example.com']
    run().configure({ allowedOrigins })
    expect(run().read().allowedOrigins).toEqual(['https://id.example.com', 'https://xn--bcher-kva.example.com'])
  })

  test('are refused with a reason each, and then nothing is changed', () => {
    const { run, notes } = office()
    const settings = run()
    const allowedOrigins = ['https://id.example.com', 'http://id.example.com', 'https://192.168.1.1']
    let error: unknown
    try {
      settings.configure({ allowedOrigins, idleText: 'Haere mai' })
    } catch (thrown) {
      error = thrown
    }
    expect(error).toMatchObject(
      refusal({
        code: 'invalid',
        fields: [
          { field: 'allowedOrigins[1]', message: expect.stringMatching(/https/) },
          { field: 'allowedOrigins[2]', message: expect.stringMatching(/private/) }
        ]
      })
    )
    expect(settings.read()).toEqual(FIRST_SETTINGS)
    expect(run().read()).toEqual(FIRST_SETTINGS)
    expect(notes).toEqual([])
  })
})

describe('the logo', () => {
  test('can be set, replaced and removed', () => {
    const { run, notes } = office()
    expect(run().setLogo(PNG).logo).toBe(pngUrl)
    expect(run().idleScreen()).toEqual({
      text: 'Welcome',
      languages: OFFERED,
      callSound: false,
      pictures: [],
      logo: pngUrl
    })
    const settings = run()
    settings.configure({ idleText: 'Haere mai' })
    expect(settings.setLogo(JPEG).logo).toMatch(/^data:image\/jpeg;base64,/)
    expect(settings.configure({ logo: null })).not.toHaveProperty('logo')
    expect(run().idleScreen()).toEqual({ text: 'Haere mai', languages: OFFERED, callSound: false, pictures: [] })
    expect(notes.map(({ detail }) => detail?.changed)).toEqual(['logo', 'welcome message', 'logo', 'logo'])
  })

  test('is refused if invalid, and the previous one stays', () => {
    const { run } = office()
    const settings = run()
    settings.setLogo(PNG)
    for (const bytes of [Buffer.from('<svg/>'), png(4001, 10)]) {
      expect(() => settings.setLogo(bytes)).toThrow(
        expect.objectContaining(refusal(expect.objectContaining({ code: 'bad-file' })))
      )
    }
    expect(run().read().logo).toBe(pngUrl)
  })
})

describe('the waiting room', () => {
  test('is stored with its pictures, and each change recorded with old and new values', () => {
    const { run, notes } = office()
    const settings = run()
    settings.configure({ waitingRoom: { counterName: 'Counter 2', noShowAfter: 20, callSound: true, pictures: [] } })
    const { pictures } = settings.addPictures([PNG, JPEG]).waitingRoom
    expect(pictures).toHaveLength(2)
    expect(settings.idlePicture(pictures[0] ?? '')).toBe(pngUrl)
    expect(settings.idleScreen()).toMatchObject({ callSound: true, pictures })
    const [, second = ''] = pictures
    settings.configure({ waitingRoom: { ...settings.read().waitingRoom, pictures: [second] } })
    expect(run().read().waitingRoom).toEqual({
      counterName: 'Counter 2',
      noShowAfter: 20,
      callSound: true,
      pictures: [second]
    })
    expect(settings.idlePicture(pictures[0] ?? '')).toBeNull()
    const name = 'appointments and waiting room'
    expect(notes.map(({ detail }) => detail?.[name])).toEqual([
      'no counter name, 15 min, sound off, no pictures → Counter 2, 20 min, sound on, no pictures',
      'Counter 2, 20 min, sound on, no pictures → Counter 2, 20 min, sound on, 2 pictures',
      'Counter 2, 20 min, sound on, 2 pictures → Counter 2, 20 min, sound on, 1 picture'
    ])
  })

  test('accepts all chosen pictures, or none', () => {
    const settings = office().run()
    expect(() => settings.addPictures([PNG, Buffer.from('<svg/>')])).toThrow(
      expect.objectContaining(refusal(expect.objectContaining({ code: 'bad-file' })))
    )
    expect(settings.read().waitingRoom.pictures).toEqual([])
  })
})

describe('stored content', () => {
  test.each([
    ['no JSON', 'half of {"idle'],
    ['a list', '[1,2]'],
    ['nothing', 'null'],
    ['a word', '"settings"']
  ])('that is %s is ignored', (_, text) => {
    const { run, meta } = office()
    meta.write('counter-settings', text)
    expect(run().read()).toEqual(FIRST_SETTINGS)
  })

  test('doesn’t decide what is stored of identity documents, only a policy does', () => {
    const { db, run, meta } = office()
    meta.write('counter-settings', JSON.stringify({ identityKept: 'number-and-expiry' }))
    expect(run().read().identityKept).toBe('compared')
    expect(run(db, { identityKept: 'number-end' }).read().identityKept).toBe('number-end')
  })

  test('is validated one member, line and address at a time', () => {
    const { run, meta } = office()
    meta.write(
      'counter-settings',
      JSON.stringify({
        staffName: 7,
        idleText: 'Haere mai',
        fullScreen: 'yes',
        useOtherDisplay: true,
        idle: { warnAfter: 1, coverAfter: 30, endAfter: 300 },
        evidence: [
          { id: 'a', text: 'Passport', isRequired: true },
          { id: 'b', text: '' },
          null,
          { id: 'a', text: 'Passport of another', isRequired: false }
        ],
        allowedOrigins: ['https://id.example.com', 'https://10.0.0.1', 'https://id.example.com/', 7],
        mayKeepPages: true,
        ofLaterVersion: {}
      })
    )
    expect(run().read()).toEqual({
      ...FIRST_SETTINGS,
      idleText: 'Haere mai',
      useOtherDisplay: true,
      evidence: [{ id: 'a', text: 'Passport of another', isRequired: false }],
      allowedOrigins: ['https://id.example.com'],
      mayKeepPages: true
    })
  })

  test('that isn’t a picture is ignored as a logo', () => {
    const { run, meta } = office()
    meta.write('counter-logo', 'data:image/svg+xml;base64,PHN2Zy8+')
    expect(run().read()).not.toHaveProperty('logo')
  })

  test('that can’t be changed leaves the current settings as they are', () => {
    const { db, run, notes } = office()
    const settings = run()
    db.pragma('query_only = ON')
    expect(() => settings.configure({ idleText: 'Haere mai' })).toThrow(/readonly/)
    expect(settings.read()).toEqual(FIRST_SETTINGS)
    expect(notes).toEqual([])
    db.pragma('query_only = OFF')
    expect(settings.configure({ idleText: 'Haere mai' })).toMatchObject({ idleText: 'Haere mai' })
  })
})
