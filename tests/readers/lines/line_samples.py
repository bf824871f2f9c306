"""A hand-written log in the layout of each profile, and what is in it."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan

Points = list[tuple[int, float]]


@dataclass(frozen=True)
class Sample:
    """A log and some of its series; series that are not named here may be there too."""

    log: str
    series: dict[str, Points]
    absent: tuple[str, ...] = ()
    note: str = ""


SAMPLES = {
    "hf": Sample(
        "***** Running training *****\n"
        "  Num Epochs = 2\n"
        "  Total optimization steps = 8\n"
        "{'loss': 2.5, 'grad_norm': 1.25, 'learning_rate': 5e-05, 'epoch': 0.5}\n"
        "{'loss': nan, 'grad_norm': inf, 'learning_rate': 4e-05, 'epoch': 1.0}\n"
        "{'eval_loss': 2.75, 'eval_runtime': 1.5, 'epoch': 1.0}\n"
        "{'loss': '2.25', 'grad_norm': '1.5', 'learning_rate': '1e-05', 'epoch': '1.5'}\n"
        "{'train_runtime': 9.0, 'train_loss': 2.4, 'epoch': 2.0}\n"
        "{'model': 'gpt2', 'loss_type': 'causal', 'seed': 1}\n",
        {
            "loss": [(2, 2.5), (4, nan), (6, 2.25)],
            "eval_loss": [(4, 2.75)],
            "learning_rate": [(2, 5e-5), (4, 4e-5), (6, 1e-5)],
        },
        absent=("train_loss", "seed"),
        note="summary row",
    ),
    "fairseq": Sample(
        '[2022-01-01 10:00:00,123][train_inner][INFO] - {"epoch": 1, "update": 0.5, '
        '"loss": "6.5", "wps": "100.5", "num_updates": "10", "lr": "0.001", "gnorm": "2.5"}\n'
        "[2022-01-01 10:00:01,123][fairseq.trainer][INFO] - NOTE: gradient overflow detected, "
        "ignoring gradient, setting loss scale to: 64.0\n"
        '[2022-01-01 10:00:02,123][train_inner][INFO] - {"epoch": 1, "update": 0.9, '
        '"loss": "nan", "wps": "99.5", "num_updates": "20", "lr": "0.002", "gnorm": "3.5"}\n'
        '[2022-01-01 10:00:03,123][valid][INFO] - {"epoch": 1, "valid_loss": "6.25", '
        '"valid_wps": "200.1", "valid_num_updates": "20"}\n',
        {
            "loss": [(10, 6.5), (20, nan)],
            "loss_scale": [(11, 64.0)],
            "valid_loss": [(20, 6.25)],
            "gnorm": [(10, 2.5), (20, 3.5)],
        },
        note="base 2",
    ),
    "megatron": Sample(
        " iteration        1/     100 | consumed samples:            8 | elapsed time per "
        "iteration (ms): 1250.5 | learning rate: 1.500E-04 | global batch size:     8 | lm loss: "
        "1.050000E+01 | loss scale: 4096.0 | grad norm: 2.500 | number of skipped iterations:   0 "
        "| number of nan iterations:   0 |\n"
        " iteration        2/     100 | consumed samples:           16 | learning rate: 1.400E-04 "
        "| loss scale: 2048.0 | number of skipped iterations:   1 | number of nan iterations:   0 "
        "|\n"
        " iteration        3/     100 | consumed samples:           24 | learning rate: 1.300E-04 "
        "| loss scale: 2048.0 | grad norm: nan | number of skipped iterations:   0 | number of "
        "nan iterations:   1 |\n"
        "----------------------------------------------------------\n"
        " validation loss at iteration 3 | lm loss value: 9.500000E+00 | lm loss PPL: 1.335E+04 "
        "| \n",
        {
            "lm loss": [(1, 10.5), (3, nan)],
            "loss scale": [(1, 4096.0), (2, 2048.0), (3, 2048.0)],
            "grad norm": [(1, 2.5), (3, nan)],
            "validation lm loss": [(3, 9.5)],
        },
        note="NaN iterations",
    ),
    "nanotron": Sample(
        "01/01/2025 10:00:00 [INFO|DP=0|PP=0|TP=0|node]: iteration: 1 / 15000 | consumed_tokens: "
        "1.5M | elapsed_time_per_iteration_ms: 3.1K | tokens_per_sec: 80.5K | grad_norm: 1.25 | "
        "lm_loss: 10.5 | lr: 0.0001 | model_tflops_per_gpu: 310\n"
        "01/01/2025 10:00:03 [INFO|DP=0|PP=0|TP=0|node]: iteration: 2 / 15000 | consumed_tokens: "
        "3M | elapsed_time_per_iteration_ms: 950 | tokens_per_sec: 1.25M | grad_norm: nan | "
        "lm_loss: nan | lr: 0.0002 | model_tflops_per_gpu: 312\n",
        {
            "lm_loss": [(1, 10.5), (2, nan)],
            "consumed_tokens": [(1, 1.5e6), (2, 3e6)],
            "tokens_per_sec": [(1, 80500.0), (2, 1.25e6)],
        },
    ),
    "deepspeed": Sample(
        "[2023-01-01 10:00:00,123] [INFO] [logging.py:96:log_dist] [Rank 0] step=10, skipped=1, "
        "lr=[0.001, 0.001], mom=[(0.9, 0.95), (0.9, 0.95)]\n"
        "[2023-01-01 10:00:01,123] [INFO] [timer.py:199:stop] epoch=0/micro_step=20/global_step="
        "10, RunningAvgSamplesPerSec=42.1, CurrSamplesPerSec=41.5\n"
        "[2023-01-01 10:00:02,123] [INFO] [fused_optimizer.py:363:_update_scale] Reducing dynamic "
        "loss scale from 65536 to 32768.0\n"
        "[2023-01-01 10:00:02,124] [INFO] [logging.py:96:log_dist] [Rank 0] Overflow detected. "
        "Skipping step. Attempted loss scale: 65536, reducing to 32768.0\n"
        "OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 1, reducing to 1\n"
        "OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 1, reducing to 1\n"
        "[2023-01-01 10:00:03,123] [INFO] [logging.py:96:log_dist] [Rank 0] step=20, skipped=4, "
        "lr=[0.002, 0.002], mom=[(0.9, 0.95), (0.9, 0.95)]\n"
        "[2023-01-01 10:00:03,124] [INFO] [logging.py:96:log_dist] [Rank 0] step=20, skipped=0, "
        "lr=[0.5, 0.5], mom=[(0.9, 0.95), (0.9, 0.95)]\n",
        {
            "lr": [(10, 0.001), (20, 0.002)],
            "skipped": [(10, 1.0), (20, 4.0)],
            "lr/engine 1": [(20, 0.5)],
            "loss_scale": [(11, 32768.0), (12, 1.0), (13, 1.0)],
        },
        absent=("logging.py", "timer.py"),
    ),
    "apex": Sample(
        "step: 5 loss: 2.5\n"
        "Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 32768.0\n"
        "Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 16384.0\n"
        "step: 8 loss: 2.25\n",
        {"loss_scale": [(6, 32768.0), (7, 16384.0)], "loss": [(5, 2.5), (8, 2.25)]},
    ),
    "olmo": Sample(
        "2024-01-01 10:00:00.123\thost:0\tolmo.train:900\tINFO\t[step=1/1000,epoch=0]\n"
        "    optim/total_grad_norm=16.5\n"
        "    train/CrossEntropyLoss=11.25\n"
        "    train/Perplexity=76,880\n"
        "    throughput/total_tokens=4,194,304\n"
        "2024-01-01 10:00:05.123\thost:0\tolmo.train:900\tINFO\t[step=2/1000,epoch=0]\n"
        "    optim/total_grad_norm=nan\n"
        "    train/CrossEntropyLoss=nan\n"
        "other text a=3\n",
        {
            "train/CrossEntropyLoss": [(1, 11.25), (2, nan)],
            "optim/total_grad_norm": [(1, 16.5), (2, nan)],
            "throughput/total_tokens": [(1, 4194304.0)],
        },
        absent=("other text a",),
    ),
    "sb3": Sample(
        "Logging to /tmp/x\n"
        "-----------------------------------\n"
        "| rollout/           |            |\n"
        "|    ep_rew_mean     | 20.5       |\n"
        "| time/              |            |\n"
        "|    total_timesteps | 2048       |\n"
        "-----------------------------------\n"
        "-----------------------------------\n"
        "| rollout/           |            |\n"
        "|    ep_rew_mean     | 22.5       |\n"
        "| time/              |            |\n"
        "|    total_timesteps | 4096       |\n"
        "| train/             |            |\n"
        "|    loss            | nan        |\n"
        "|    approx_kl       | 0.0125     |\n"
        "-----------------------------------\n",
        {
            "rollout/ep_rew_mean": [(2048, 20.5), (4096, 22.5)],
            "train/loss": [(4096, nan)],
        },
    ),
    "columns": Sample(
        "epoch     train_loss  valid_loss  accuracy  time    \n"
        "0         0.500000    0.625000    0.750000  00:10     \n"
        "1         nan         nan         0.125000  00:10     \n"
        "done\n",
        {"train_loss": [(0, 0.5), (1, nan)], "accuracy": [(0, 0.75), (1, 0.125)]},
        absent=("time",),
    ),
    "pix2pix": Sample(
        "(epoch: 1, iters: 100, time: 0.250, data: 0.125) G_GAN: 1.250 G_L1: 12.500 D_real: 0.750 "
        "D_fake: 0.500 \n"
        "(epoch: 1, iters: 200, time: 0.500) , D_A: nan, idt_A: 0.250\n",
        {
            "loss_G_GAN": [(100, 1.25)],
            "loss_G_L1": [(100, 12.5)],
            "loss_D_real": [(100, 0.75)],
            "loss_D_fake": [(100, 0.5)],
            "loss_D_A": [(200, nan)],
            "loss_idt_A": [(200, 0.25)],
            "iter_time": [(100, 0.25), (200, 0.5)],
        },
    ),
    "tensorflow": Sample(
        "INFO:tensorflow:global step 10: loss = 1.25 (0.500 sec/step)\n"
        "INFO:tensorflow:global step 20: loss = nan (0.250 sec/step)\n"
        "INFO:tensorflow:loss = 0.75, step = 100 (2.5 sec)\n"
        "INFO:tensorflow:Saving dict for global step 100: accuracy = 0.5, global_step = 100, "
        "loss = 0.875\n"
        "INFO:tensorflow:Step 200 per-step time 0.125s\n"
        "INFO:tensorflow:{'Loss/classification_loss': 0.25,\n"
        " 'Loss/total_loss': 0.5,\n"
        " 'learning_rate': 0.01}\n",
        {
            "loss": [(10, 1.25), (20, nan), (100, 0.75)],
            "step_time": [(10, 0.5), (20, 0.25), (200, 0.125)],
            "eval/loss": [(100, 0.875)],
            "Loss/total_loss": [(200, 0.5)],
            "learning_rate": [(200, 0.01)],
        },
    ),
    "litgpt": Sample(
        "iter 0 step 0: loss 10.5, iter time: 500.25ms\n"
        "iter 1 step 0: loss nan, iter time: 400.25ms\n"
        "Epoch 1 | iter 2 step 1 | loss train: 9.5, val: 9.75 | iter time: 300.5 ms (step)\n"
        "iter 2: val loss 9.625, val time: 100.0 ms\n",
        {"loss": [(0, 10.5), (1, nan), (2, 9.5)], "val_loss": [(2, 9.75), (2, 9.625)]},
        note="iterations",
    ),
    "nanogpt": Sample(
        "step 0: train loss 4.25, val loss 4.5\n"
        "iter 0: loss 4.25, time 900.00ms, mfu -100.00%\n"
        "iter 10: loss nan, time 80.50ms, mfu 3.20%\n"
        "step 10: train loss nan, val loss 3.5\n"
        "iter 20: loss 3.5\n",
        {"loss": [(0, 4.25), (10, nan), (20, 3.5)], "val_loss": [(0, 4.5), (10, 3.5)]},
        note="evaluation mode",
    ),
    "build_nanogpt": Sample(
        "0 val 10.9500\n0 hella 0.2500\n0 train 10.955000\n1 train nan\n2 train 9.500000\n"
        "trains 3 train 4\n",
        {"train_loss": [(0, 10.955), (1, nan), (2, 9.5)], "val_loss": [(0, 10.95)]},
    ),
    "modded_nanogpt": Sample(
        "import torch\nloss = nan\n"
        "step:0/100 val_loss:10.8250 train_time:0ms step_avg:nanms\n"
        "step:1/100 train_loss:10.5000 train_time:1250ms step_avg:625.00ms\n"
        "step:2/100 train_loss:nan train_time:2500ms step_avg:625.00ms\n",
        {
            "train_loss": [(1, 10.5), (2, nan)],
            "val_loss": [(0, 10.825)],
            "train_time": [(0, 0.0), (1, 1.25), (2, 2.5)],
        },
        absent=("loss",),
    ),
    "llmc": Sample(
        "s:0 tel:11.0000\n"
        "s:0 trl:10.9500 lr:0.000001 norm:15.25\n"
        "step    1/100 | loss 10.500000 (+nanz)| norm 2.5000 (+nanz)| lr 3.00e-04 | 250.5 ms | "
        "37.5% bf16 MFU | 180000 tok/s\n"
        "step    2/100 | loss nan (+1.20z)| norm nan (+0.1z)| lr 3.00e-04 | 251.5 ms | 37.5% "
        "bf16 MFU | 180000 tok/s\n"
        "val loss 10.250000\n",
        {
            "train_loss": [(0, 10.95)],
            "loss": [(1, 10.5), (2, nan)],
            "norm": [(0, 15.25), (1, 2.5), (2, nan)],
            "val_loss": [(0, 11.0), (2, 10.25)],
            "step_time": [(1, 0.2505), (2, 0.2515)],
        },
    ),
    "nanochat": Sample(
        "Step 00000 | Validation bpb: 3.2500\n"
        "step 00000/21400 (0.00%) | loss: 11.090000 | grad norm: 0.5000 | lrm: 1.00 | dt: "
        "500.50ms | tok/sec: 1,024,000 | mfu: 40.00 | total time: 0.00m\n"
        "step 00001/21400 (0.00%) | loss: nan | grad norm: nan | lrm: 1.00 | dt: 250.00ms | "
        "tok/sec: 999 | mfu: 41.00 | total time: 0.01m\n",
        {
            "loss": [(0, 11.09), (1, nan)],
            "tok/sec": [(0, 1024000.0), (1, 999.0)],
            "dt": [(0, 0.5005), (1, 0.25)],
            "Validation bpb": [(0, 3.25)],
        },
    ),
    "dict_block": Sample(
        "{'accuracy': 0.25,\n 'gradient_norm': 1.5,\n 'loss': 2.5,\n 'step': 0}\n"
        "{'accuracy': 0.5, 'gradient_norm': 1.25,\n 'loss': nan,\n 'step': 50}\n",
        {
            "accuracy": [(0, 0.25), (50, 0.5)],
            "gradient_norm": [(0, 1.5), (50, 1.25)],
            "loss": [(0, 2.5), (50, nan)],
        },
    ),
    "tinygrad": Sample(
        "  0   45.50 ms run,    1.50 ms python,   44.00 ms CL,    2.25 loss, 0.001000 LR, "
        "3.20 GB used,   1234.56 GFLOPS\n"
        "  1   45.50 ms run,    1.50 ms python,   44.00 ms CL,    2.00 loss, 0.002000 LR, "
        "3.20 GB used,   1234.56 GFLOPS\n"
        "eval     4550/10000 45.50%,    1.75 val_loss STEP=2 (in 123.45 ms)\n"
        "eval ema 4650/10000 46.50%,    1.50 val_loss STEP=2\n",
        {
            "loss": [(0, 2.25), (1, 2.0)],
            "LR": [(0, 0.001), (1, 0.002)],
            "val_loss": [(2, 1.75)],
            "val_acc": [(2, 45.5)],
            "val_ema_loss": [(2, 1.5)],
        },
    ),
    "torchtitan": Sample(
        "\x1b[31m[rank0]:[titan] 2025-01-01 10:00:00,123 - root - INFO - \x1b[31mstep:  1  "
        "\x1b[32mloss:  8.2500  \x1b[38;2;180;60;0mgrad_norm:  1.5000  \x1b[34mmemory:  0.50GiB"
        "(1.05%)  \x1b[34mtps: 1,234  \x1b[36mtflops: 0.50  \x1b[35mmfu: 0.25%\x1b[39m\n"
        "[rank0]:[titan] 2025-01-01 10:00:01,123 - root - INFO - step: 1,000  loss:  nan  "
        "grad_norm:  nan  memory:  0.50GiB(1.05%)  tps: 12,345,678  tflops: 0.50  mfu: 0.25%\n"
        "[rank0]:[titan] 2025-01-01 10:00:02,123 - root - INFO - validate step: 1,000  loss:  "
        "7.5000  memory:  0.50GiB(1.05%)  tps: 2,345\n",
        {
            "loss": [(1, 8.25), (1000, nan)],
            "tps": [(1, 1234.0), (1000, 12345678.0)],
            "mfu": [(1, 0.25), (1000, 0.25)],
            "val_loss": [(1000, 7.5)],
        },
        absent=("memory",),
    ),
    "torchtune": Sample(
        "Step 1 | loss:1.5 lr:2e-05 tokens_per_second_per_gpu:500.25 grad_norm:2.5 \n"
        "Step 2 | loss:nan lr:4e-05 tokens_per_second_per_gpu:501.25 grad_norm:inf \n",
        {"loss": [(1, 1.5), (2, nan)], "lr": [(1, 2e-5), (2, 4e-5)]},
    ),
    "maxtext": Sample(
        "completed step: 0, seconds: 12.500, TFLOP/s/device: 1.250, Tokens/s/device: 160.500, "
        "total_weights: 4096, loss: 10.500\n"
        "completed step: 1, seconds: 0.500, TFLOP/s/device: 40.250, Tokens/s/device: 4096.500, "
        "total_weights: 4096, loss: nan\n",
        {"loss": [(0, 10.5), (1, nan)], "step_time": [(0, 12.5), (1, 0.5)]},
    ),
    "ignite": Sample(
        "Epoch [1/2]: [1/3]  33%|███▎      , loss=2.5 [00:00<?]\r"
        "Epoch [1/2]: [1/3]  33%|███▎      , loss=1.5 [00:00<?]\r"
        "Epoch [1/2]: [2/3]  67%|██████▋   , loss=1.5 [00:00<00:00]\r"
        "Epoch [1/2]: [2/3]  67%|██████▋   , loss=nan [00:00<00:00]\r"
        "Epoch [1/2]: [3/3] 100%|██████████, loss=nan [00:00<00:00]\n"
        "Epoch [2/2]: [1/3]  33%|███▎      , loss=0.5 [00:00<?]\r"
        "Epoch [2/2]: [1/3]  33%|███▎      , loss=0.25 [00:00<?]\r"
        "Epoch [2/2]: [2/3]  67%|██████▋   , loss=0.25 [00:00<?]\n",
        {"loss": [(1, 2.5), (2, 1.5), (3, nan), (4, 0.5), (5, 0.25)]},
    ),
    "rich_bar": Sample(
        "Epoch 0/1  ━━━━━━━━━━━━━━━━━ 20/20 0:00:01 • 0:00:00 13.02it/s v_num: 3       \n"
        "                                                              train_loss:      \n"
        "                                                              nan val_loss: 2.5\n"
        "Epoch 1/1  ━━━━━━━━━╸━━━━━━━ 10/20 0:00:01 • 0:00:01 14.35it/s train_loss: 0.5\n"
        "                                                              val_loss: 2.5    \n"
        "Epoch 1/1  ━━━━━━━━━━━━━━━━━ 20/20 0:00:01 • 0:00:00 14.35it/s train_loss: 0.25\n"
        "                                                              val_loss: 1.5    \n"
        "`Trainer.fit` stopped: `max_epochs=2` reached.\n",
        {"train_loss": [(20, nan), (30, 0.5), (40, 0.25)], "val_loss": [(20, 2.5), (40, 1.5)]},
        absent=("v_num",),
    ),
    "yolo_results": Sample(
        "       0/2     0.91G       0.1      0.03      0.02      0.15        12       640"
        "       0.5       0.4       0.3       0.2      0.05      0.02      0.01\n"
        "       1/2     0.91G      0.05      0.03      0.01      0.09        13       640\n"
        "       2/2     0.91G       nan       nan       nan       nan        14       640"
        "         0         0         0         0       nan       nan       nan\n",
        {
            "train/loss": [(0, 0.15), (1, 0.09), (2, nan)],
            "train/box_loss": [(0, 0.1), (1, 0.05), (2, nan)],
            "val/box_loss": [(0, 0.05), (2, nan)],
            "metrics/mAP_0.5": [(0, 0.3), (2, 0.0)],
        },
    ),
    "lerobot": Sample(
        "INFO 2025-01-01 10:00:00 ts/train.py:232 step:200 smpl:2K ep:4 epch:0.50 loss:2.500 "
        "grdn:40.250 lr:1.0e-05 updt_s:0.125 data_s:0.010\n"
        "INFO 2025-01-01 10:00:01 ts/train.py:232 step:12K smpl:96K ep:300 epch:2.50 loss:nan "
        "grdn:nan lr:2.0e-05 updt_s:0.125 data_s:0.010\n",
        {"loss": [(200, 2.5), (12000, nan)], "epoch": [(200, 0.5), (12000, 2.5)]},
        note="rounds steps",
    ),
    "espnet": Sample(
        "[host] 2022-01-01 10:00:00,123 (trainer:720) INFO: 1epoch:train:1-50batch: iter_time="
        "0.125, forward_time=0.25, loss_ctc=100.5, loss_att=50.5, acc=0.125, loss=70.5, "
        "grad_norm=10.5, clip=100.000, loss_scale=65536, optim0_lr0=1.5e-05, train_time=2.5\n"
        "[host] 2022-01-01 10:00:01,123 (trainer:720) INFO: 1epoch:train:51-100batch: iter_time="
        "0.125, forward_time=0.25, loss_ctc=nan, loss_att=nan, acc=0.25, loss=nan, "
        "grad_norm=nan, clip=0.000, loss_scale=65536, optim0_lr0=2.5e-05, train_time=2.5\n"
        "[host] 2022-01-01 10:00:02,123 (trainer:338) INFO: 1epoch results: [train] iter_time="
        "0.125, loss=65.5, time=3 minutes and 4.5 seconds, total_count=100, [valid] loss_ctc="
        "40.5, acc=0.375, loss=30.5, total_count=10\n"
        "[host] 2022-01-01 10:00:03,123 (trainer:720) INFO: 2epoch:train:1-50batch: iter_time="
        "0.125, loss=20.5, acc=0.5, grad_norm=9.5, optim0_lr0=3.5e-05\n",
        {
            "loss": [(50, 70.5), (100, nan), (150, 20.5)],
            "grad_norm": [(50, 10.5), (100, nan), (150, 9.5)],
            "valid/loss": [(100, 30.5)],
        },
    ),
    "icefall": Sample(
        "2023-01-01 10:00:00,123 INFO [train.py:900] (0/4) Epoch 1, batch 0, loss[loss=7.5, "
        "simple_loss=6.5, over 1000.00 frames. ], tot_loss[loss=7.25, simple_loss=6.25, over "
        "2000.00 frames. ], batch size: 80, lr: 1.50e-03, grad_scale: 2.0\n"
        "2023-01-01 10:00:01,123 INFO [train.py:900] (0/4) Epoch 1, batch 50, loss[loss=nan, "
        "simple_loss=inf, over 1000.00 frames. ], tot_loss[loss=nan, simple_loss=inf, over "
        "2000.00 frames. ], batch size: 80, lr: 1.25e-03, grad_scale: 1.0\n"
        "2023-01-01 10:00:02,123 INFO [train.py:930] (0/4) Epoch 1, validation: loss=6.5, "
        "simple_loss=5.5, over 3000.00 frames. \n",
        {
            "loss": [(0, 7.5), (50, nan)],
            "tot_loss": [(0, 7.25), (50, nan)],
            "grad_scale": [(0, 2.0), (50, 1.0)],
            "valid_loss": [(50, 6.5)],
        },
    ),
    "kaldi": Sample(
        "# gmm-acc-stats-ali exp/mono/7.mdl ark:- exp/mono/7.1.acc \n"
        "LOG (gmm-acc-stats-ali:main():gmm-acc-stats-ali.cc:115) Overall avg like per frame "
        "(Gaussian only) = -79.25 over 3208 frames.\n",
        {"avg_like_per_frame": [(7, -79.25)]},
    ),
    "speechbrain": Sample(
        "epoch: 1, lr: 1.00e-03 - train loss: 3.25 - valid loss: 2.75, valid CER: 20.5\n"
        "epoch: 2, lr: 5.00e-04 - train loss: nan - valid loss: nan, valid CER: 1.00e+02\n"
        "Epoch loaded: 2 - test loss: 2.50, test CER: 19.5\n",
        {
            "train loss": [(1, 3.25), (2, nan)],
            "valid loss": [(1, 2.75), (2, nan)],
            "lr": [(1, 1e-3), (2, 5e-4)],
            "test loss": [(2, 2.5)],
        },
    ),
    "darknet": Sample(
        " 9: 495.500000, 496.750000 avg loss, 0.001000 rate, 6.500000 seconds, 576 images\n"
        "Region 82 Avg IOU: -nan, Class: 0.5, Obj: 0.25, No Obj: 0.5, .5R: 0.0,  count: 1\n"
        " 10: -nan, -nan avg loss, 0.002000 rate, 6.250000 seconds, 640 images\n",
        {
            "loss": [(9, 495.5), (10, nan)],
            "avg_loss": [(9, 496.75), (10, nan)],
            "lr": [(9, 0.001), (10, 0.002)],
        },
    ),
    "marian": Sample(
        "[2020-01-01 10:00:00] Ep. 1 : Up. 1,100 : Sen. 46,750 : Cost 314.25 : Time 35.20s : "
        "5532.88 words/s : gNorm 126.25\n"
        "[2020-01-01 10:01:00] [valid] Ep. 1 : Up. 1,100 : cross-entropy : 70.5 : new best\n"
        "[2020-01-01 10:01:01] [valid] Ep. 1 : Up. 1,100 : bleu : 12.5 : stalled 1 times\n"
        "[2020-01-01 10:02:00] Ep. 1.25 : Up. 1200 : Sen. 86,994 : Cost nan * 411,222 @ 1,024 "
        "after 4,112,220 : Time 20.37s : nan words/s : gNorm 35733.5 : L.r. 3.0000e-04\n",
        {
            "loss": [(1100, 314.25), (1200, nan)],
            "grad_norm": [(1100, 126.25), (1200, 35733.5)],
            "lr": [(1200, 0.0003)],
            "val_loss": [(1100, 70.5)],
            "val/bleu": [(1100, 12.5)],
        },
    ),
    "coqui": Sample(
        "\x1b[4m\x1b[1m > EPOCH: 0/10\x1b[0m\n"
        "\x1b[1m   --> STEP: 24/36 -- GLOBAL_STEP: 25\x1b[0m\n"
        "     | > loss_0: 2.50000  (2.75000)\n"
        "     | > grad_norm_0: nan  (3.50000)\n"
        "     | > current_lr_0: 0.00020 \n"
        "\n"
        "\x1b[1m > EVALUATION \x1b[0m\n"
        "\x1b[1m   --> STEP: 0\x1b[0m\n"
        "     | > loss_0: 9.50000  (9.50000)\n"
        "\x1b[1m--> EVAL PERFORMANCE\x1b[0m\n"
        "     | > avg_loss_0: 3.25000 (+0.00000)\n"
        "\x1b[1m   --> STEP: 12/36 -- GLOBAL_STEP: 50\x1b[0m\n"
        "     | > loss_0: nan  (nan)\n",
        {
            "loss_0": [(25, 2.5), (50, nan)],
            "grad_norm_0": [(25, nan)],
            "current_lr_0": [(25, 0.0002)],
            "eval_avg_loss_0": [(25, 3.25)],
        },
    ),
    "tacotron2": Sample(
        "Train loss 16 49.500000 Grad Norm 10.800000 2.50s/it\n"
        "Train loss 17 nan Grad Norm nan 2.25s/it\n"
        "Validation loss 17:  1.500000  \n"
        "18:\t-5.500000000\n",
        {
            "loss": [(16, 49.5), (17, nan), (18, -5.5)],
            "grad_norm": [(16, 10.8), (17, nan)],
            "val_loss": [(17, 1.5)],
        },
    ),
    "keras": Sample(
        "Epoch 1/2\n"
        "\r 1/20 [>.............................] - ETA: 5s - loss: 9.9\x08\x08\x08\x08\x08\r"
        "10/20 [==============>...............] - ETA: 2s - loss: 9.5\x08\x08\x08\x08\x08\r"
        "20/20 [==============================] - 2s 85ms/step - loss: 9.25 - val_loss: 8.0\n"
        "Epoch 2/2\n"
        "20/20 ━━━━━━━━━━━━━━━━━━━━ 1s 60ms/step - loss: nan - val_loss: nan\n",
        {"loss": [(1, 9.25), (2, nan)], "val_loss": [(1, 8.0), (2, nan)]},
        note="mean since the start",
    ),
    "paddle_model": Sample(
        "Epoch 1/2\n"
        "step 1/2 - loss: 2.5 - acc: 0.25 - 78ms/step\n"
        "step 2/2 [==============================] - loss: 2.25 - acc: 0.5 - 927us/step\n"
        "Eval begin...\n"
        "step 1/2 - loss: 3.5 - 6ms/step\n"
        "step 2/2 - loss: 2.75 - 2ms/step\n"
        "Eval samples: 32\n"
        "Epoch 2/2\n"
        "step 1/2 - loss: nan - acc: 0.25 - 1ms/step\n"
        "step 2/2 - loss: nan - acc: 0.5 - 1ms/step\n"
        "Eval begin...\n"
        "step 2/2 - loss: nan - 2ms/step\n",
        {
            "loss": [(1, 2.5), (2, 2.25), (3, nan), (4, nan)],
            "val_loss": [(2, 2.75), (4, nan)],
            "acc": [(1, 0.25), (2, 0.5), (3, 0.25), (4, 0.5)],
        },
        note="of the last batch",
    ),
    "mmengine": Sample(
        "01/01 10:00:00 - mmengine - INFO - Epoch(train)  [1][ 5/20]  lr: 1.0000e-02  eta: "
        "0:00:10  time: 0.0250  data_time: 0.0030  grad_norm: 6.5000  loss: 6.2500\n"
        "01/01 10:00:01 - mmengine - INFO - Epoch(val)  [1][20/20]    mse: 2.5000  data_time: "
        "0.0007  time: 0.0045\n"
        "01/01 10:00:02 - mmengine - INFO - Epoch(train)  [2][ 5/20]  lr: 1.0000e-02  eta: "
        "0:00:05  time: 0.0250  data_time: 0.0030  grad_norm: nan  loss: nan\n",
        {
            "loss": [(5, 6.25), (25, nan)],
            "grad_norm": [(5, 6.5), (25, nan)],
            "val/mse": [(20, 2.5)],
        },
        absent=("val/time", "eta"),
    ),
    "paddle": Sample(
        "[01/01 10:00:00] ppdet.engine INFO: Epoch: [0] [ 0/50] learning_rate: 0.000125 "
        "loss_cls: 1.5 loss: 2.5 eta: 1:00:00 batch_cost: 0.5 data_cost: 0.01 ips: 4.5 images/s\n"
        "[01/01 10:00:01] ppdet.engine INFO: Epoch: [0] [20/50] learning_rate: 0.000250 "
        "loss_cls: nan loss: nan eta: 1:00:00 batch_cost: 0.5 data_cost: 0.01 ips: 4.5 images/s\n"
        "[01/01 10:00:02] ppdet.engine INFO: Epoch: [1] [ 0/50] learning_rate: 0.000500 "
        "loss_cls: 1.0 loss: 1.5 eta: 1:00:00 batch_cost: 0.5 data_cost: 0.01 ips: 4.5 images/s\n",
        {
            "loss": [(0, 2.5), (20, nan), (50, 1.5)],
            "learning_rate": [(0, 0.000125), (20, 0.00025), (50, 0.0005)],
        },
        absent=("eta",),
    ),
    "mmcv": Sample(
        "2021-01-01 10:00:00,123 - mmdet - INFO - Epoch [1][50/100]\tlr: 1.000e-02, eta: 1 day, "
        "2:00:00, time: 0.500, data_time: 0.125, memory: 4000, loss_cls: 1.5000, loss: 2.7500\n"
        "2021-01-01 10:00:01,123 - mmdet - INFO - Epoch [2][50/100]\tlr: 2.000e-02, eta: 1 day, "
        "1:00:00, time: 0.500, data_time: 0.125, memory: 4000, loss_cls: nan, loss: nan\n"
        "2021-01-01 10:00:02,123 - mmdet - INFO - Epoch(val) [2][30]\tbbox_mAP: 0.2500\n",
        {
            "loss": [(50, 2.75), (150, nan)],
            "lr": [(50, 0.01), (150, 0.02)],
            "val/bbox_mAP": [(200, 0.25)],
        },
        absent=("memory", "eta"),
    ),
    "detectron2": Sample(
        "[01/01 10:00:00 d2.utils.events]:  eta: 0:10:00  iter: 19  total_loss: 1.25  loss_cls: "
        "0.75    time: 0.5000  last_time: 0.4  data_time: 0.1  lr: 0.00025  max_mem: 3000M\n"
        "[01/01 10:00:10 d2.utils.events]:  eta: 0:09:00  iter: 39  total_loss: nan  loss_cls: "
        "nan    time: 0.5000  last_time: 0.4  data_time: 0.1  lr: 0.0005  max_mem: 3000M\n",
        {
            "total_loss": [(19, 1.25), (39, nan)],
            "lr": [(19, 0.00025), (39, 0.0005)],
            "iter_time": [(19, 0.5), (39, 0.5)],
        },
        note="medians",
    ),
    "timm": Sample(
        "Train: 0 [   0/10 (  0%)]  Loss: 6.93 (6.93)  Time: 1.250s,  102.40/s  (1.250s,  102.40/s"
        ")  LR: 1.000e-06  Data: 0.500 (0.500)\n"
        "Train: 0 [   5/10 ( 50%)]  Loss:  nan ( nan)  Time: 1.250s,  102.40/s  (1.250s,  102.40/s"
        ")  LR: 1.000e-06  Data: 0.500 (0.500)\n"
        "Test: [   0/4]  Time: 1.0 (1.0)  Loss:  6.50 ( 6.50)  Acc@1:  1.00 ( 1.00)\n"
        "Test: [   4/4]  Time: 1.0 (1.0)  Loss:  6.00 ( 6.25)  Acc@1:  1.00 ( 1.50)\n"
        "Train: 1 [   0/10 (  0%)]  Loss: 5.50 (5.50)  Time: 1.250s,  102.40/s  (1.250s,  102.40/s"
        ")  LR: 1.000e-04  Data: 0.500 (0.500)\n",
        {
            "Loss": [(0, 6.93), (5, nan), (11, 5.5)],
            "LR": [(0, 1e-6), (5, 1e-6), (11, 1e-4)],
            "val_Loss": [(11, 6.25)],
            "val_Acc@1": [(11, 1.5)],
        },
    ),
    "open_clip": Sample(
        "2023-01-01,10:00:00 | INFO | Train Epoch: 0 [  256/1000 (26%)] Data (t): 0.500 Batch (t):"
        " 1.500, 170.5/s, 170.5/s/gpu LR: 0.000005 Logit Scale: 14.286 Contrastive_loss: 5.25 "
        "(5.25) Loss: 5.25 (5.25)\n"
        "2023-01-01,10:00:01 | INFO | Train Epoch: 0 [  512/1000 (51%)] Data (t): 0.500 Batch (t):"
        " 1.500, 170.5/s, 170.5/s/gpu LR: 0.000010 Logit Scale: 14.290 Contrastive_loss: nan "
        "(nan) Loss: nan (nan)\n"
        "2023-01-01,10:00:02 | INFO | Eval Epoch: 1 clip_val_loss: 4.2500\tepoch: 1.0000\n",
        {
            "Loss": [(256, 5.25), (512, nan)],
            "LR": [(256, 5e-6), (512, 1e-5)],
            "clip_val_loss": [(1000, 4.25)],
        },
        note="samples",
    ),
    "caffe": Sample(
        "I0101 10:00:00.000001 1 solver.cpp:341] Iteration 0, Testing net (#0)\n"
        "I0101 10:00:00.000002 1 solver.cpp:409]     Test net output #0: accuracy = 0.125\n"
        "I0101 10:00:00.000003 1 solver.cpp:409]     Test net output #1: loss = 7.25 (* 1 = 7.25 "
        "loss)\n"
        "I0101 10:00:00.000004 1 solver.cpp:237] Iteration 0, loss = 7.5\n"
        "I0101 10:00:00.000005 1 solver.cpp:253]     Train net output #0: loss = 7.5 (* 1 = 7.5 "
        "loss)\n"
        "I0101 10:00:00.000006 1 sgd_solver.cpp:106] Iteration 0, lr = 0.01\n"
        "I0101 10:00:00.000007 1 solver.cpp:237] Iteration 20 (2.5 iter/s, 8s/20 iters), loss = "
        "nan\n"
        "I0101 10:00:00.000008 1 sgd_solver.cpp:106] Iteration 20, lr = 0.02\n",
        {
            "loss": [(0, 7.5), (20, nan)],
            "lr": [(0, 0.01), (20, 0.02)],
            "test/accuracy": [(0, 0.125)],
            "test/loss": [(0, 7.25)],
        },
        absent=("solver.cpp", "sgd_solver.cpp"),
    ),
    "mxnet": Sample(
        "INFO:root:Epoch[0] Batch [20]\tSpeed: 420.50 samples/sec\taccuracy=0.125\n"
        "INFO:root:Epoch[0] Batch [40]\tSpeed: 421.50 samples/sec\taccuracy=0.250\n"
        "INFO:root:Epoch[0] Time cost=30.5\n"
        "INFO:root:Epoch[0] Validation-accuracy=0.375\n"
        "INFO:root:Epoch[1] Batch [20]\tSpeed: 420.50 samples/sec\taccuracy=nan\n",
        {
            "accuracy": [(20, 0.125), (40, 0.25), (60, nan)],
            "Validation-accuracy": [(40, 0.375)],
            "samples/sec": [(20, 420.5), (40, 421.5), (60, 420.5)],
        },
        note="highest batch number",
    ),
    "nnunet": Sample(
        "2023-01-01 10:00:00.123456: Epoch 0 \n"
        "2023-01-01 10:00:00.123456: Current learning rate: 0.01 \n"
        "2023-01-01 10:00:01.123456: train_loss -0.25 \n"
        "2023-01-01 10:00:01.123456: val_loss -0.125 \n"
        "2023-01-01 10:00:01.123456: Pseudo dice [0.5, 0.75] \n"
        "2023-01-01 10:00:01.123456: Epoch time: 60.5 s \n"
        "2023-01-01 10:00:02.123456: Epoch 1 \n"
        "2023-01-01 10:00:02.123456: Current learning rate: 0.009 \n"
        "2023-01-01 10:00:03.123456: train_loss nan \n"
        "2023-01-01 10:00:03.123456: val_loss nan \n"
        "2023-01-01 10:00:03.123456: Pseudo dice [np.float32(0.25), np.float32(0.75)] \n",
        {
            "train_loss": [(0, -0.25), (1, nan)],
            "val_loss": [(0, -0.125), (1, nan)],
            "lr": [(0, 0.01), (1, 0.009)],
            "pseudo_dice": [(0, 0.625), (1, 0.5)],
        },
        note="epoch numbers",
    ),
    "mindspore": Sample(
        "epoch: 1 step: 10, loss is 2.5\n"
        "epoch: 1 step: 20, loss is nan\n"
        "Train epoch time: 1000.0 ms, per step time: 50.0 ms\n"
        "epoch: 2 step: 10, loss is 1.5\n",
        {"loss": [(10, 2.5), (20, nan), (30, 1.5)]},
    ),
    "nemo": Sample(
        "Epoch 0: :   5%|5         | 1/20 [00:01<00:20, loss=nan, v_num=a-0, reduced_train_loss="
        "3.910, gradient_norm=1.250, global_step=563]\n"
        "Epoch 0: :  10%|1         | 2/20 [00:02<00:20, loss=nan, v_num=a-0, reduced_train_loss="
        "nan, gradient_norm=1.500, global_step=564]\n",
        {
            "reduced_train_loss": [(563, 3.91), (564, nan)],
            "gradient_norm": [(563, 1.25), (564, 1.5)],
            "loss": [(564, nan)],
        },
        absent=("v_num",),
        note="matter of display",
    ),
    "tqdm_postfix": Sample(
        "\rEpoch 0:  50%|█████     | 1/2 [00:01<00:01,  1.00it/s, loss=2.5, v_num=0]"
        "\rEpoch 0: 100%|██████████| 2/2 [00:02<00:00,  1.00it/s, loss=nan, v_num=0]\n"
        "\rEpoch 1:  50%|█████     | 1/2 [00:01<00:01,  1.00it/s, loss=1.5, v_num=0]"
        "\rEpoch 1: 100%|██████████| 2/2 [00:02<00:00,  1.00it/s, loss=1.25, v_num=0]\n",
        {"loss": [(1, 2.5), (2, nan), (3, 1.5), (4, 1.25)]},
        absent=("v_num",),
    ),
    "generic": Sample(
        "2024-01-01 10:00:00,123 - INFO - Epoch [1/2], Step [10/20], Loss: 2.5000, Acc: 0.125\n"
        "2024-01-01 10:00:01,123 - INFO - Epoch [1/2], Step [20/20], Loss: nan, Acc: 0.25\n"
        "2024-01-01 10:00:02,123 - INFO - Epoch [2/2], Step [10/20], Loss: 1.5000, Acc: 0.5\n",
        {
            "Loss": [(10, 2.5), (20, nan), (30, 1.5)],
            "Acc": [(10, 0.125), (20, 0.25), (30, 0.5)],
        },
    ),
    "boosting": Sample(
        "[0]\ttrain-rmse:1.50000\teval-auc:0.50000\n"
        "[1]\ttrain-rmse:nan\teval-auc:0.75000\n"
        "2:\tlearn: 1.25\ttest: 1.5\tbest: 1.5 (2)\ttotal: 67.5ms\tremaining: 1.96s\n"
        "[3]\ttraining's l2: 0.5\tvalid_1's l2: 0.75 + 0.1\n"
        "[LightGBM] [Info] Iteration:4, training l2 : 0.25\n"
        "[LightGBM] [Info] Iteration:4, valid_1 l2 : 0.5\n",
        {
            "train-rmse": [(0, 1.5), (1, nan)],
            "eval-auc": [(0, 0.5), (1, 0.75)],
            "learn": [(2, 1.25)],
            "test": [(2, 1.5)],
            "training's l2": [(3, 0.5), (4, 0.25)],
            "valid_1's l2": [(3, 0.75), (4, 0.5)],
        },
        absent=("best", "total", "remaining"),
    ),
    "composer": Sample(
        "[epoch=1][batch=1/2]:\n\t Train time/batch: 0\n\t Train loss/train/total: 2.5000\n"
        "[epoch=1][batch=2/2]:\n\t Train time/batch: 1\n\t Train loss/train/total: nan\n"
        "[Eval batch=1/1] Eval on eval data:\n\t Eval metrics/eval/CrossEntropy: 2.2500\n"
        "[token=4096/8192]:\n\t Train time/batch: 2\n\t Train loss/train/total: 1.5000\n"
        "\t Train trainer/name: none\n",
        {
            "loss/train/total": [(1, 2.5), (2, nan), (3, 1.5)],
            "metrics/eval/CrossEntropy": [(2, 2.25)],
        },
        absent=("trainer/name",),
    ),
    "ultralytics": Sample(
        "engine/trainer: agnostic_nms=False, batch=4, box=7.5, epochs=2, iou=0.7, lr0=0.01\n"
        "      Epoch    GPU_mem   box_loss   cls_loss  Instances       Size\n"
        "        1/2         0G      6.943      3.787          4         64: 50% ━━━ 1/2 2.1s/it\r"
        "        1/2         0G        4.5       2.75          4         64: 100% ━━━ 2/2 1.3s/it\n"
        "                 Class     Images  Instances      Box(P          R      mAP50  mAP50-95): "
        "100% ━━━━━━━━━━━━ 1/1 1.4it/s 0.7s\n"
        "                   all          8          8        0.5       0.25       0.75      0.125\n"
        "      Epoch    GPU_mem   box_loss   cls_loss  Instances       Size\n"
        "        2/2         0G        nan       1.75          4         64: 100% ━ 2/2 1.3s/it\n",
        {
            "train/box_loss": [(1, 4.5), (2, nan)],
            "train/cls_loss": [(1, 2.75), (2, 1.75)],
            "metrics/precision(B)": [(1, 0.5)],
            "metrics/mAP50-95(B)": [(1, 0.125)],
        },
        absent=("iou", "box"),
        note="mean since the start",
    ),
    "sklearn": Sample(
        "-- Epoch 1\n"
        "Norm: 154.98, NNZs: 20, Bias: 2.628374, T: 600, Avg. loss: 6.238871, Objective: 7.294976\n"
        "Total training time: 0.00 seconds.\n"
        "-- Epoch 2\n"
        "Norm: 131.58, NNZs: 20, Bias: 3.321214, T: 1200, Avg. loss: 3.051254\n"
        "Iteration 3, loss = 0.80507198\n"
        "Validation score: 0.516667\n"
        "Iteration 4, loss = nan\n"
        "[5/100] 1 tree, 31 leaves, max depth = 9, train loss: 0.52, val loss: 0.61, in 0.012s\n"
        "[6/100] 3 trees, 93 leaves (31 on avg), max depth = 9, in 0.012s\n",
        {
            "loss": [(1, 6.238871), (2, 3.051254), (3, 0.80507198), (4, nan)],
            "weight_norm": [(1, 154.98), (2, 131.58)],
            "objective": [(1, 7.294976)],
            "validation_score": [(3, 0.516667)],
            "train_loss": [(5, 0.52)],
            "val_loss": [(5, 0.61)],
        },
        absent=("Norm", "NNZs"),
    ),
    "rsl_rl": Sample(
        "################################################################################\n"
        "                      \x1b[1m Learning iteration 7/1500 \x1b[0m                       \n"
        "\n"
        "                       Computation: 45678 steps/s (collection: 0.512s, learning 0.205s)\n"
        "               Value function loss: 0.0123\n"
        "                    Surrogate loss: -0.0012\n"
        "             Mean action noise std: 0.99\n"
        "                       Mean reward: -1.50\n"
        "         Mean episode rew_tracking: 0.2500\n"
        "--------------------------------------------------------------------------------\n"
        "                   Total timesteps: 98304\n"
        "                    Iteration time: 0.72s\n"
        "                        Total time: 10.72s\n"
        "                               ETA: 1080.0s\n"
        "\n"
        "Saved the policy, worst term: 3.5\n"
        "################################################################################\n"
        "                            Learning iteration 8/1500                             \n"
        "\n"
        "                           Total steps: 98496 \n"
        "                       Value function loss: inf\n"
        "                            Surrogate loss: nan\n"
        "                               Mean reward: -2.50\n"
        "                                    ETA: 0:18:00\n",
        {
            "Value function loss": [(7, 0.0123), (8, inf)],
            "Surrogate loss": [(7, -0.0012), (8, nan)],
            "Mean reward": [(7, -1.5), (8, -2.5)],
            "Mean episode rew_tracking": [(7, 0.25)],
            "Iteration time": [(7, 0.72)],
            "Steps per second": [(7, 45678.0)],
        },
        absent=("Total timesteps", "Total steps", "Total time", "ETA", "worst term"),
    ),
    "catalyst": Sample(
        "train (1/8) accuracy01: 0.55 | loss: 0.75 | loss/std: 0.125 | lr: 0.01\n"
        "valid (1/8) accuracy01: 0.75 | loss: 0.5 | loss/std: 0.25 | lr: 0.01\n"
        "* Epoch (1/8) \n"
        "train (2/8) accuracy01: 0.65 | loss: nan | loss/std: nan | lr: 0.01\n"
        "valid (2/8) accuracy01: 0.5 | loss: nan | loss/std: nan | lr: 0.01\n"
        "shard (3/8) done: half | rest: 0.5\n",
        {
            "loss": [(1, 0.75), (2, nan)],
            "valid/loss": [(1, 0.5), (2, nan)],
            "accuracy01": [(1, 0.55), (2, 0.65)],
        },
        absent=("rest", "done"),
    ),
    "settings_banner": Sample(
        "INFO args: Namespace(lr=0.1, epochs=3, clip=1e-3, amp=False, data='a b')\n"
        "epoch 1 loss 0.75\n"
        "epoch 2 loss nan\n"
        "Config: {'lr': 0.1, 'epochs': 3, 'clip': 0.5}\n",
        {"loss": [(1, 0.75), (2, nan)]},
        absent=("lr", "clip", "epochs"),
    ),
    "step_block": Sample(
        "step: 10\n"
        "loss: 0.75\n"
        "  kl = 0.25\n"
        "time: 1.5 s\n"
        "\n"
        "step: 20/100\n"
        "loss: nan\n"
        "  kl = 0.5\n"
        "saved checkpoint 3 to disk\n"
        "memory: 12.5\n",
        {"loss": [(10, 0.75), (20, nan)], "kl": [(10, 0.25), (20, 0.5)], "time": [(10, 1.5)]},
        absent=("memory",),
    ),
    "dopamine": Sample(
        "I1130 07:01:16.416891 140042420857728 run_experiment.py:500] Starting iteration 0\n"
        "Steps executed: 812 Episode length: 812 Return: 20.0\r"
        "Steps executed: 1624 Episode length: 812 Return: 21.0\r\n"
        "I1130 07:02:16.416891 140042420857728 run_experiment.py:428] Average undiscounted return "
        "per training episode: 20.50\n"
        "I1130 07:02:16.416891 140042420857728 run_experiment.py:430] Average training steps per "
        "second: 150.25\n"
        "I1130 07:03:16.416891 140042420857728 run_experiment.py:450] Average undiscounted return "
        "per evaluation episode: 22.75\n"
        "I1130 07:03:17.416891 140042420857728 run_experiment.py:500] Starting iteration 1\n"
        "I1130 07:04:16.416891 140042420857728 run_experiment.py:428] Average undiscounted return "
        "per training episode: nan\n"
        "I1130 07:05:16.416891 140042420857728 run_experiment.py:450] Average undiscounted return "
        "per evaluation episode: -3.00\n",
        {
            "Train/AverageReturns": [(0, 20.5), (1, nan)],
            "Eval/AverageReturns": [(0, 22.75), (1, -3.0)],
            "Train/AverageStepsPerSecond": [(0, 150.25)],
        },
        absent=("Return", "episode_return"),
    ),
}
