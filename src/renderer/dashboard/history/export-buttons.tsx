import { Download } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { PaymentFilter } from '../../../shared/contract/payments.ts';
import { formatCount } from '../../format/count.ts';
import { findTexts as texts } from '../../texts/history.ts';
import { useAnnounce } from '../parts/announcer.tsx';
import { Button } from '../parts/button.tsx';
import { RequestError, useLink } from '../server-state.tsx';
import { exportPayments, type ExportForm } from './export-payments.ts';
import { saveFile } from './save-file.ts';

const TYPES: Record<ExportForm, string> = { csv: 'text/csv;charset=utf-8', json: 'application/json' };

/** Saves all payments of the filter as a file, and shows how far it is. */
export function ExportButtons({ filter }: { readonly filter: PaymentFilter }) {
  const link = useLink();
  const announce = useAnnounce();
  const [state, setState] = useState<{ readonly done: number; readonly all: number }>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  async function save(form: ExportForm) {
    const controller = new AbortController();
    running.current = controller;
    setState({ done: 0, all: 0 });
    try {
      const { parts, count } = await exportPayments(link, filter, form, { signal: controller.signal, progress: (done, all) => setState({ done, all }) });
      saveFile(`bursar-payments-${new Date().toISOString().slice(0, 10)}.${form}`, TYPES[form], parts);
      announce(texts.exported(formatCount(count)));
    } catch (error) {
      if (error instanceof RequestError) announce(error.message, 'failure');
      else if (!controller.signal.aborted) throw error;
    } finally {
      setState(undefined);
    }
  }

  if (state) {
    return (
      <div role="status" className="flex flex-wrap items-center gap-3 text-sm text-muted">
        <span className="tabular-nums">{texts.exporting(formatCount(state.done), formatCount(state.all))}</span>
        <Button onClick={() => running.current?.abort()}>{texts.exportStop}</Button>
      </div>
    );
  }
  return (
    <div className="flex flex-wrap gap-2">
      <Button onClick={() => void save('csv')}>
        <Download aria-hidden="true" className="size-4" />
        {texts.exportCsv}
      </Button>
      <Button onClick={() => void save('json')}>
        <Download aria-hidden="true" className="size-4" />
        {texts.exportJson}
      </Button>
    </div>
  );
}
