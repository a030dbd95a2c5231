/** The made-up outbox in every state of its screen, and of the page after Send, that must be looked at. */
import { blankComposition } from '../../../src/shared/composition/composition.ts'
import type { BatchView, DraftView, SendView } from '../../../src/shared/contract/views.ts'
import { type FakeApi, fakeApi } from '../fake-api.ts'
import { leaveDue } from '../fakes/outbox.ts'
import { people, sendOf } from '../people.ts'

const now = () => Date.now()
const minutes = (count: number) => now() - count * 60_000

function draft(): DraftView {
  const composition = blankComposition('form-direct', 'a')
  const [item] = composition.items
  const signer = item?.signers[0]
  if (item) Object.assign(item, { Name: 'Tax declaration', Reference: 'form-tfn-2025', FormType: '3' })
  if (signer) Object.assign(signer, { FirstName: 'Mere', LastName: 'Parata', Email: 'mere.parata@example.com' })
  const kind = composition.kind
  return {
    id: 'draft-1',
    accountId: 'practice',
    kind,
    title: 'Tax declaration',
    who: 'Mere Parata',
    updatedAt: minutes(5),
    composition
  }
}

function waiting(change: Partial<SendView>): SendView {
  const {
    settledAt: _settledAt,
    attemptedAt: _attemptedAt,
    packageReference: _reference,
    ...send
  } = sendOf({
    state: 'ready',
    attempt: 0,
    documents: [],
    createdAt: minutes(2),
    ...change
  })
  return send
}

const doubtful = (): SendView =>
  sendOf({
    id: 'doubt',
    title: 'Deed of gift',
    who: 'Anahera Singh and Josef Lindqvist',
    state: 'uncertain',
    createdAt: minutes(44),
    attemptedAt: minutes(43),
    settledAt: minutes(43),
    documents: [],
    error: { code: 'timeout', message: 'No answer within 60 seconds.', mayHaveArrived: true },
    ambiguity: {
      sent: [{ name: 'Deed of gift', signers: ['Anahera Singh', 'Josef Lindqvist'], clientReference: 'M-2041' }],
      found: [
        {
          reference: 'doc-8',
          name: 'Deed of gift',
          signers: ['Anahera Singh', 'Josef Lindqvist'],
          folder: 'InBox',
          status: 'Not started',
          clientReference: 'M-2041',
          begunAt: minutes(42)
        },
        {
          reference: 'doc-15',
          name: 'Deed of gift',
          signers: ['Anahera Singh'],
          folder: 'Progress',
          status: '1 of 2 signed',
          clientReference: 'M-2041',
          begunAt: minutes(3000)
        }
      ]
    }
  })

function oneOfEach(): SendView[] {
  return [
    waiting({
      id: 'soon',
      title: 'Loan variation',
      who: 'Wiremu Tane',
      hold: 'undo',
      createdAt: now() - 2000,
      goesAt: now() + 58_000
    }),
    waiting({
      id: 'later',
      title: 'Statement of advice',
      who: 'Lena Marchetti',
      hold: 'time',
      goesAt: now() + 40 * 3_600_000
    }),
    waiting({ id: 'line', title: 'Tenancy agreement', who: 'Grace Okafor and 2 more', hold: 'line' }),
    waiting({ id: 'held', title: 'Power of attorney', who: 'Noah Fairweather', hold: 'paused' }),
    waiting({
      id: 'slow',
      title: 'Superannuation choice',
      who: 'Tama Brooks',
      hold: 'rate-limited',
      goesAt: now() + 45_000
    }),
    waiting({ id: 'turn', title: 'Deed of gift and 1 more', who: 'Mere Parata', hold: 'turn' }),
    sendOf({
      id: 'sending',
      title: 'Tax declaration',
      state: 'sending',
      documents: [],
      attemptedAt: now() - 3000,
      settledAt: now() - 3000
    }),
    sendOf({
      id: 'refused',
      title: 'Loan variation',
      who: 'Josef Lindqvist',
      state: 'refused',
      createdAt: minutes(9),
      attemptedAt: minutes(8),
      settledAt: minutes(8),
      documents: [],
      error: {
        code: 'invalid',
        message: 'Refused.',
        serviceMessage: 'Validation failed',
        fields: [
          { field: 'Forms[0].Signers[0].Email', message: 'This address is on the list of addresses that bounce.' }
        ]
      }
    }),
    sendOf({
      id: 'uncertain',
      title: 'Residential tenancy agreement',
      who: 'Lena Marchetti and Noah Fairweather',
      kind: 'form-filler',
      state: 'uncertain',
      createdAt: minutes(4),
      attemptedAt: minutes(3),
      settledAt: minutes(3),
      documents: [],
      nextLookAt: now() + 55_000,
      error: { code: 'timeout', message: 'No answer within 60 seconds.', mayHaveArrived: true }
    }),
    doubtful(),
    sendOf({
      id: 'missed',
      title: 'Superannuation choice',
      who: 'Grace Okafor',
      state: 'not-sent',
      createdAt: minutes(70),
      attemptedAt: minutes(69),
      settledAt: minutes(67),
      documents: []
    }),
    sendOf({
      id: 'cancelled',
      title: 'Statement of advice',
      who: 'Wiremu Tane',
      state: 'cancelled',
      attempt: 0,
      createdAt: minutes(95),
      settledAt: minutes(90),
      documents: []
    }),
    sendOf({
      id: 'sent',
      title: 'Tax declaration and 1 more',
      who: 'Mere Parata and Tama Brooks',
      createdAt: minutes(130),
      attemptedAt: minutes(129),
      settledAt: minutes(129),
      documents: [
        { reference: 'doc-0', name: 'Tax declaration.pdf' },
        { reference: 'doc-3', name: 'Superannuation choice.pdf' }
      ]
    })
  ]
}

function batch(change: Partial<BatchView> = {}): BatchView {
  return {
    id: 'batch-1',
    accountId: 'practice',
    name: 'Staff tax declarations 2026',
    createdAt: minutes(12),
    state: 'going',
    counts: { ready: 1204, sending: 4, sent: 760, refused: 6, uncertain: 2, notSent: 4, cancelled: 0 },
    leftOut: 5,
    total: 1980,
    ...change
  }
}

const done = { ready: 0, sending: 0, sent: 198, refused: 0, uncertain: 0, notSent: 0, cancelled: 0 }

function many(): SendView[] {
  return Array.from({ length: 100_000 }, (_, index) => {
    const [first, last] = people[index % people.length] ?? ['', '']
    const state = (['sent', 'sent', 'sent', 'sent', 'refused', 'uncertain'] as const)[index % 6] ?? 'sent'
    return sendOf({
      id: `send-${index}`,
      title: `Tax declaration ${index + 1}`,
      who: `${first} ${last}`,
      state,
      createdAt: minutes(index),
      attemptedAt: minutes(index),
      settledAt: minutes(index)
    })
  })
}

function outbox(change: Parameters<typeof fakeApi>[0] = {}): FakeApi {
  const api = fakeApi({
    now,
    connection: { state: 'online', since: minutes(60) },
    drafts: [draft()],
    sends: oneOfEach(),
    ...change
  })
  setInterval(() => leaveDue(api.control), 100)
  return api
}

const paused = (pause: NonNullable<Parameters<typeof fakeApi>[0]>['outbox']): FakeApi =>
  outbox(pause && { outbox: pause })
const settings = { concurrency: 2, perMinute: null, undoSeconds: 10 }

export const outboxScenes: Record<string, () => FakeApi> = {
  outbox,
  'outbox-empty': () => outbox({ sends: [], drafts: [] }),
  'outbox-one': () => outbox({ sends: oneOfEach().slice(-1) }),
  'outbox-many': () => outbox({ sends: many() }),
  'outbox-failing': () => {
    const api = outbox()
    for (const name of ['sends.list', 'sends.get', 'outbox.state', 'batches.list'] as const)
      api.control.fail(name, { code: 'storage', message: 'The database did not answer.' })
    return api
  },
  /** One of several workstations whose server is unavailable. */
  'outbox-office': () =>
    outbox({
      sends: [
        sendOf({
          id: 'theirs',
          title: 'Deed of gift',
          who: 'Josef Lindqvist',
          workstation: 'Counter 2',
          createdAt: minutes(30),
          attemptedAt: minutes(29),
          settledAt: minutes(29)
        }),
        waiting({ id: 'mine', hold: 'office' })
      ],
      outbox: {
        settings: { concurrency: 2, perMinute: null, undoSeconds: 10 },
        office: 'away',
        pause: { by: 'person', since: minutes(12) }
      }
    }),
  /** Packages that need someone else's release, or were refused it. */
  'outbox-release': () =>
    outbox({
      sends: [
        waiting({ id: 'held', title: 'Deed of gift', hold: 'release', release: { by: 'Ben Tui' } }),
        waiting({
          id: 'refused-here',
          title: 'Loan variation',
          hold: 'release',
          release: { by: 'Ben Tui', refused: { by: 'Ana Reweti', reason: 'The e-mail of the second signer is wrong.' } }
        })
      ],
      batches: [
        batch({
          id: 'batch-2',
          name: 'Tenancies, second half',
          total: 50,
          leftOut: 0,
          counts: { ...done, sent: 0, ready: 50 },
          release: { by: 'Ben Tui' }
        })
      ]
    }),
  'outbox-batches': () =>
    outbox({
      batches: [
        batch(),
        batch({
          id: 'batch-2',
          name: 'Tenancies, second half',
          state: 'paused',
          createdAt: minutes(50),
          total: 80,
          leftOut: 0,
          counts: { ...done, sent: 30, ready: 50 }
        }),
        batch({
          id: 'batch-3',
          name: 'Superannuation choices',
          state: 'done',
          createdAt: minutes(3000),
          total: 198,
          leftOut: 2,
          counts: done
        }),
        batch({
          id: 'batch-4',
          name: 'Loan variations',
          state: 'done',
          createdAt: minutes(9000),
          total: 198,
          leftOut: 0,
          counts: done
        })
      ],
      sends: [
        ...Array.from({ length: 60 }, (_, index) => {
          const [first, last] = people[index % people.length] ?? ['', '']
          const row = {
            id: `row-${index}`,
            batchId: 'batch-1',
            row: index + 1,
            title: 'Tax declaration',
            who: `${first} ${last}`
          }
          return index < 40 ? sendOf(row) : waiting({ ...row, hold: 'turn' })
        }),
        ...oneOfEach()
      ]
    }),
  'outbox-by-you': () => paused({ settings, pause: { by: 'person', since: minutes(20) } }),
  /** An office's server that was restored from a backup. */
  'outbox-put-back': () =>
    paused({
      settings,
      office: 'connected',
      pause: {
        by: 'person',
        since: minutes(20),
        error: {
          code: 'conflict',
          message:
            'The office’s server was restored to an earlier time. Countersign is looking in your folders for anything sent since.',
          next: 'Resume once every workstation has connected.'
        }
      }
    }),
  'outbox-payment': () =>
    paused({
      settings,
      pause: {
        by: 'service',
        since: minutes(20),
        error: { code: 'payment-required', message: '402', serviceMessage: 'Invoice 4411 is overdue.' }
      }
    }),
  'outbox-key': () =>
    paused({ settings, pause: { by: 'service', since: minutes(20), error: { code: 'unauthorised', message: '401' } } }),
  'outbox-slow': () =>
    paused({
      settings,
      pause: {
        by: 'service',
        since: minutes(1),
        until: now() + 45_000,
        error: { code: 'rate-limited', message: '429' }
      }
    }),
  'outbox-line': () =>
    paused({
      settings,
      pause: {
        by: 'line',
        since: minutes(20),
        until: now() + 60_000,
        error: { code: 'offline', message: 'No network.' }
      }
    })
}
