/** The office's papers in the application under attack: receipts, files of appointments, and spreadsheet files. */
import { open, writeFile } from 'node:fs/promises'
import { readAppointments } from '../../../src/main/core/appointments/appointment-files.ts'
import { AuditSigner } from '../../../src/main/core/audit/signature.ts'
import { tableFile } from '../../../src/main/core/bulk/table-file.ts'
import { AppFailure } from '../../../src/main/core/lib/failure.ts'
import type { ReceiptContent } from '../../../src/main/core/receipts/content.ts'
import { qrCodeOf, receiptPage } from '../../../src/main/core/receipts/receipt-page.ts'
import { readerOf } from '../../../src/main/core/receipts/receipt-words.ts'
import { judgeReceipt, sealPdf } from '../../../src/main/core/receipts/sealed-pdf.ts'
import { counterHandlers } from '../../../src/main/ipc/counter.ts'
import { PagePrinter } from '../../../src/main/shell/page-printer.ts'
import { openOffice, signer } from '../../unit/counter/office.ts'
import type { Command, Drawn, ReadFile } from './control.ts'

const BEGAN = '2026-11-20T10:00:00+13:00'
const HASH = '3f'.repeat(32)
/** A Saturday morning in Auckland. */
const READ_AT = { now: Date.parse('2026-11-21T10:00:00+13:00'), zone: 'Pacific/Auckland' }
/** Invisible characters, other than the line breaks between the page's own elements. */
const UNSEEN = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu

export class Papers {
  readonly #paper = new PagePrinter()
  #key: string | null = null
  readonly #signer = new AuditSigner({
    slot: {
      get: async () => this.#key,
      set: async (key: string) => {
        this.#key = key
      },
      delete: async () => {
        this.#key = null
      }
    },
    note: () => {}
  })

  async draw(text: string): Promise<Drawn> {
    const page = pageOf(text)
    const pdf = Buffer.from(await this.#paper.pdf(page)).toString('latin1')
    return {
      links: pdf.split('/URI').length - 1,
      rows: page.split('<tr>').length - 1,
      unseen: (page.replaceAll('\n', '').match(UNSEEN) ?? []).length
    }
  }

  async seal(): Promise<string> {
    const pdf = await this.#paper.pdf(pageOf('Mere Tamati'))
    const statement = { content: JSON.stringify(contentOf('Mere Tamati')), contentSha256: HASH, issuedAt: BEGAN }
    return Buffer.from(await sealPdf(pdf, statement, this.#signer)).toString('base64')
  }

  judge(file: string): string {
    return judgeReceipt(Buffer.from(file, 'base64')).verdict
  }

  /**
   * Reads a file of appointments.
   * @param meanwhile what others write into it once it has been read, before it is closed
   */
  async read(path: string, meanwhile?: string): Promise<ReadFile> {
    try {
      const { appointments, refused } = await readAppointments(
        { path, fileName: 'calendar.ics', ...READ_AT },
        meanwhile === undefined ? open : openedAndChanged(meanwhile)
      )
      return {
        appointments: appointments.map(({ at, name, email, place, about }) => ({
          name,
          email,
          place,
          about,
          at: new Date(at).toISOString()
        })),
        refusals: refused.map(({ why }) => why)
      }
    } catch (error) {
      return { refused: error instanceof AppFailure ? error.appError.message : String(error) }
    }
  }

  cells(text: string): string {
    return Buffer.from(tableFile('csv', ['Name'], [[text]])).toString('utf8')
  }
}

/**
 * Ann has signed at the second display and staff has the screen again; then Ben gets a screen, and his page is open or
 * he has signed. A receipt's number names the person it belongs to.
 */
export async function twoSittings({ place, until }: Extract<Command, { do: 'sit' }>) {
  const office = openOffice({ will: [signer('Ann Example')], deed: [signer('Ben Example')] })
  office.deps.receiptOf = async (session, { name }) => ({
    number: `${name}, ${session}`,
    sha256: '',
    size: 21,
    path: ''
  })
  const sits = async (document: string, isSigned: boolean) => {
    const { id } = await office.start([document, 0])
    await office.opens()
    if (!isSigned) return id
    office.signs(document, 0)
    office.events().returned()
    await office.settled()
    return id
  }
  office.place = 'other-display'
  const before = await sits('will', true)
  await office.counter.staff(before, 'end', 'office')
  office.place = place
  const now = await sits('deed', until === 'done')
  return { before, now, receipt: counterHandlers(office.counter, () => [office.chosen])['counter.receipt'] }
}

/** Opens files into which others write while they are being read. */
function openedAndChanged(text: string): typeof open {
  return async (path, ...how) => {
    const file = await open(path, ...how)
    const read = file.read.bind(file) as (...args: unknown[]) => Promise<never>
    const readAndChanged = async (...args: unknown[]) => {
      const some = await read(...args)
      await writeFile(path, text)
      return some
    }
    return Object.assign(file, { read: readAndChanged })
  }
}

function pageOf(text: string): string {
  const content = contentOf(text)
  const details = { sha256: HASH, issuedAt: BEGAN, logo: undefined, reader: readerOf('en'), kept: [] }
  return receiptPage(content, { ...details, code: qrCodeOf('R-2026-000001-3F3F', HASH) })
}

/** Returns a receipt with this text wherever it has text of others. */
function contentOf(text: string): ReceiptContent {
  const place = { seq: 1, hash: HASH }
  const identified = { at: BEGAN, staff: text, evidence: text }
  const shown = [{ at: BEGAN, origin: text }]
  return {
    number: text,
    copy: 'file',
    session: 'a',
    office: text,
    staff: [text],
    zone: text,
    began: BEGAN,
    ended: BEGAN,
    people: [
      {
        name: text,
        contact: text,
        identified,
        documents: [{ name: text, reference: text, shown, files: [text], result: 'declined', at: BEGAN }]
      }
    ],
    unrecorded: 0,
    lost: 0,
    trail: { first: place, last: place },
    key: HASH
  }
}
