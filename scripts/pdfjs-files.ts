/**
 * Bundles the files that pdf.js reads while rendering with the renderer's own, so that no PDF makes the application
 * contact anyone else: the standard PDF fonts, tables of Asian characters, and its decoders of two image formats. Of
 * the decoders only the JavaScript versions: WebAssembly would need a weaker content security policy.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

const PACKAGE = dirname(fileURLToPath(import.meta.resolve('pdfjs-dist/package.json')))

/** Their folder below the renderer's root; `screens/pdf/pdfjs.ts` requests them there. */
const FOLDER = 'pdfjs'
const INCLUDED: Record<string, RegExp> = {
  cmaps: /\.bcmap$|^LICENSE/,
  standard_fonts: /\.(pfb|ttf)$|^LICENSE/,
  wasm: /_nowasm_fallback\.js$|^LICENSE_(?!QCMS|QUICKJS|PDFJS_QCMS|PDFJS_QUICKJS)/
}

export function pdfjsFiles(): Plugin {
  const files = Object.entries(INCLUDED).flatMap(([folder, pattern]) =>
    readdirSync(join(PACKAGE, folder))
      .filter((name) => pattern.test(name))
      .map((name) => `${folder}/${name}`)
  )
  return {
    name: 'pdfjs-files',
    generateBundle() {
      for (const file of files)
        this.emitFile({ type: 'asset', fileName: `${FOLDER}/${file}`, source: readFileSync(join(PACKAGE, file)) })
    },
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        const file = files.find((known) => request.url === `/${FOLDER}/${known}`)
        if (!file) return next()
        response.setHeader('Content-Type', file.endsWith('.js') ? 'text/javascript' : 'application/octet-stream')
        response.end(readFileSync(join(PACKAGE, file)))
      })
    }
  }
}
