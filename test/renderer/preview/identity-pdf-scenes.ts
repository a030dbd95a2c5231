/** An identity check's report, and a signed document: shown, loading, cleared, damaged, locked, too large, offline. */
import type { AppError } from '../../../src/shared/contract/errors.ts'
import { lockedPdf } from '../../fixtures/pdfs.ts'
import { type FakeApi, fakeApi } from '../fake-api.ts'

const now = () => Date.now()
const usual = (change: Parameters<typeof fakeApi>[0] = {}) => fakeApi({ now, downloads: [], ...change })

function failing(error: AppError): FakeApi {
  const api = usual()
  api.control.fail('pdf.open', error)
  return api
}

export const identityPdfScenes: Record<string, () => FakeApi> = {
  'identity-pdf': () => usual(),
  'identity-pdf-slow': () => {
    const api = usual()
    api.control.hold('pdf.next')
    return api
  },
  'identity-pdf-broken': () => usual({ pdf: new TextEncoder().encode('%PDF-1.7\nnothing else\n%%EOF') }),
  'identity-pdf-locked': () => usual({ pdf: lockedPdf() }),
  'identity-pdf-large': () => failing({ code: 'too-large', message: 'The answer is too large.' }),
  'identity-pdf-offline': () => failing({ code: 'offline', message: 'No network.' })
}
