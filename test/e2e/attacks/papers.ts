/** The office’s papers in the application under attack: receipts, and files of appointments and for spreadsheets. */
import { appointmentAnswers } from '../../../src/main/core/appointments/appointment-files.ts'
import { Signer } from '../../../src/main/core/audit/signature.ts'
import { tableFile } from '../../../src/main/core/bulk/table-file.ts'
import { AppFailure } from '../../../src/main/core/lib/failure.ts'
import type { ReceiptContent } from '../../../src/main/core/receipts/content.ts'
import { codeOf, receiptPage } from '../../../src/main/core/receipts/receipt-page.ts'
import { readerOf } from '../../../src/main/core/receipts/receipt-words.ts'
import { judgedReceipt, sealed } from '../../../src/main/core/receipts/sealed-pdf.ts'
import { Paper } from '../../../src/main/shell/paper.ts'
import type { Drawn, ReadFile } from './control.ts'

const BEGAN = '2026-11-20T10:00:00+13:00'
const HASH = '3f'.repeat(32)
/** A Saturday morning in Auckland. */
const READ_AT = { now: Date.parse('2026-11-21T10:00:00+13:00'), zone: 'Pacific/Auckland' }
/** What can't be seen, beside the line breaks between the page's own elements. */
const UNSEEN = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu

export class Papers {
  readonly #paper = new Paper()
  #key: string | null = null
  readonly #signer = new Signer({
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
    const said = { content: JSON.stringify(contentOf('Mere Tamati')), contentSha256: HASH, issuedAt: BEGAN }
    return Buffer.from(await sealed(pdf, said, this.#signer)).toString('base64')
  }

  judge(file: string): string {
    return judgedReceipt(Buffer.from(file, 'base64')).verdict
  }

  async read(path: string): Promise<ReadFile> {
    try {
      const { appointments, refused } = await appointmentAnswers.appointments({
        ...{ path, fileName: 'calendar.ics' },
        ...READ_AT
      })
      return {
        appointments: appointments.map(({ at, name, email, place, about }) => ({
          ...{ name, email, place, about },
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

function pageOf(text: string): string {
  const content = contentOf(text)
  const beside = { sha256: HASH, issuedAt: BEGAN, logo: undefined, reader: readerOf('en') }
  return receiptPage(content, { ...beside, code: codeOf('R-2026-000001-3F3F', HASH) })
}

/** A receipt that says this wherever it says something of others. */
function contentOf(text: string): ReceiptContent {
  const place = { seq: 1, hash: HASH }
  const identified = { at: BEGAN, staff: text, evidence: text }
  const shown = [{ at: BEGAN, origin: text }]
  return {
    number: text,
    ...{ copy: 'file', session: 'a', office: text, staff: [text], zone: text, began: BEGAN, ended: BEGAN },
    people: [
      {
        ...{ name: text, contact: text, identified },
        documents: [{ name: text, reference: text, shown, files: [text], result: 'declined', at: BEGAN }]
      }
    ],
    ...{ unrecorded: 0, lost: 0, trail: { first: place, last: place }, key: HASH }
  }
}
