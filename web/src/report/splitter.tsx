// The bar between two parts of the page. The reader can drag the bar or move it with the arrow keys. A double click
// resets the bar.

interface Props {
  label: string;
  /** The width of the part before the bar, in per cent. */
  value: number;
  usual: number;
  least?: number;
  most?: number;
  on_move: (value: number) => void;
}

export function Splitter({label, value, usual, least = 15, most = 85, on_move}: Props) {
  const to = (next: number) => on_move(Math.round(10 * Math.min(most, Math.max(least, next))) / 10);
  return (
    <div class="splitter" role="separator" tabIndex={0} aria-label={label} aria-orientation="vertical" aria-valuemin={least} aria-valuemax={most}
      aria-valuenow={value} onDblClick={() => to(usual)}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        event.preventDefault();
      }}
      onPointerMove={(event) => {
        if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
        const box = event.currentTarget.parentElement!.getBoundingClientRect();
        to(100 * (event.clientX - box.left) / box.width);
      }}
      onKeyDown={(event) => {
        const step = {ArrowLeft: -2, ArrowRight: 2}[event.key];
        if (step !== undefined) to(value + step);
        else if (event.key === 'Home') to(least);
        else if (event.key === 'End') to(most);
        else if (event.key === 'Enter') to(usual);
        else return;
        event.preventDefault();
        event.stopPropagation();
      }} />
  );
}
