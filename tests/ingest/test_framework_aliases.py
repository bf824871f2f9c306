"""Names that frameworks write, and what each stands for."""

from __future__ import annotations

import pytest

from spikedoc.ingest.aliases import role_of

# framework → role → tags
FRAMEWORKS = {
    "hf": {
        "loss": ["loss", "train/loss"],
        "val_loss": ["eval_loss", "eval/loss"],
        "val_loss_component": ["eval_wiki_loss"],
        "grad_norm": ["grad_norm", "train/grad_norm"],
        "lr": ["learning_rate", "train/learning_rate"],
        "epoch": ["epoch", "train/epoch"],
        "other": [
            "eval_runtime", "eval_samples_per_second", "eval_steps_per_second",
            "num_input_tokens_seen", "total_flos", "train/train_loss", "train/train_runtime",
        ],
    },
    "trl": {
        "train_metric": ["mean_token_accuracy", "rewards/accuracies", "rewards/margins"],
        "loss_component": ["aux_loss"],
        "reward": ["reward"],
        "step_time": ["step_time"],
        "other": [
            "entropy", "num_tokens", "rewards/chosen", "rewards/rejected", "logps/chosen", "kl",
            "reward_std", "frac_reward_zero_std", "clip_ratio/low_mean", "completions/mean_length",
        ],
    },
    "llamafactory": {
        "loss": ["loss"], "val_loss": ["eval_loss"], "lr": ["lr"], "throughput": ["throughput"],
        "other": ["percentage", "total_tokens"],
    },
    "swift": {
        "train_metric": ["token_acc"], "other": ["memory(GiB)"],
        "step_time": ["train_speed(s/it)"],
    },
    "paddlenlp": {
        "grad_norm": ["global_norm"],
        "epoch": ["progress_or_epoch"],
        "throughput": ["interval_tokens_per_second_per_device", "interval_samples_per_second"],
        "other": ["interval_runtime", "max_memory_allocated", "loss_md5"],
    },
    "lightning": {
        "loss": ["train_loss", "train_loss_step", "train_loss_epoch", "train/loss"],
        "val_loss": ["val_loss", "val/loss", "val_loss/dataloader_idx_0", "val_loss_epoch"],
        "grad_norm": ["grad_2.0_norm_total"],
        "layer_grad_norm": ["grad_2.0_norm/layer.0.weight"],
        "lr": ["lr-AdamW", "lr-AdamW/pg1", "lr-Adam-1", "lr-SGD"],
        "other": ["hp_metric", "lr-SGD-momentum", "lr-AdamW-weight_decay"],
    },
    "skrl": {
        "reward": ["Reward / Total reward (mean)", "Reward / Instantaneous reward (mean)"],
        "loss_component": ["Loss / Policy loss", "Loss / Value loss"],
        "other": ["Reward / Total reward (max)", "Policy / Standard deviation"],
    },
    "tianshou": {
        "loss": ["update/loss"],
        "loss_component": ["update/actor_loss", "update/critic1_loss"],
    },
    "keras": {
        "loss": ["loss", "epoch_loss", "batch_loss"],
        "val_loss": ["val_loss", "evaluation_loss_vs_iterations", "validation/epoch_loss"],
        "lr": ["learning_rate", "lr", "epoch_learning_rate"],
        "train_metric": ["accuracy", "sparse_categorical_accuracy"],
        "val_metric": ["val_accuracy", "val_sparse_categorical_accuracy"],
        "throughput": ["epoch_steps_per_second"],
    },
    "megatron": {
        "loss": ["lm loss"],
        "val_loss": ["lm loss validation"],
        "grad_norm": ["grad-norm"],
        "lr": ["learning-rate"],
        "loss_scale": ["loss-scale"],
        "weight_norm": ["params-norm"],
        "step_time": ["iteration-time"],
        "throughput": ["throughput", "throughput/tflops/device"],
        "batch_size": ["batch-size"],
        "skipped_steps": ["skipped-train-samples", "number of nan iterations"],
        "max_logit": ["max_attention_logit", "max-attention-logit"],
        "loss_component": ["mtp_1 loss", "load_balancing_loss", "z_loss"],
        "val_metric": ["lm loss validation ppl"],
        "other": ["lm loss vs samples", "grad-norm vs samples", "num-zeros", "world-size"],
    },
    "megatron-deepspeed": {
        "loss": ["lm-loss-training/lm loss"],
        "val_loss": ["lm-loss-validation/lm loss validation"],
        "grad_norm": ["grad-norm/grad-norm"],
        "lr": ["learning-rate/learning-rate"],
        "loss_scale": ["loss-scale/loss-scale"],
        "batch_size": ["batch-size/batch-size"],
        "other": ["lm-loss-training/lm loss vs tokens", "steps-vs-tokens/tokens"],
    },
    "neox": {
        "loss": ["train/lm_loss"], "val_loss": ["validation/lm_loss"],
        "grad_norm": ["train/grad_norm"], "lr": ["train/learning_rate"],
        "loss_scale": ["train/loss_scale"],
        "layer_grad_norm": ["gradient_norms/attention.dense.weight"],
        "throughput": ["runtime/samples_per_sec", "runtime/flops_per_sec_per_gpu"],
        "step_time": ["runtime/iteration_time"],
    },
    "deepspeed": {
        "loss": ["Train/Samples/train_loss"], "lr": ["Train/Samples/lr"],
        "loss_scale": ["Train/Samples/loss_scale"], "grad_norm": ["Train/Samples/grad_norm"],
        "other": ["Train/Samples/elapsed_time_ms_forward"],
    },
    "torchtitan": {
        "loss": ["loss_metrics/global_avg_loss"],
        "loss_component": ["loss_metrics/global_max_loss"],
        "val_loss": ["validation_metrics/loss"],
        "lr": ["lr", "lr/AdamW", "lr/AdamW/0"],
        "throughput": ["throughput(tps)", "tflops", "mfu(%)"],
        "other": ["n_tokens_seen", "memory/max_active(GiB)"],
    },
    "torchtune": {
        "throughput": ["tokens_per_second_per_gpu"], "other": ["peak_memory_active"],
    },
    "nanotron": {
        "loss": ["lm_loss"], "val_loss": ["validation_loss"],
        "throughput": ["tokens_per_sec_per_gpu", "model_tflops_per_gpu"],
        "step_time": ["elapsed_time_per_iteration_ms"], "batch_size": ["global_batch_size"],
        "other": ["consumed_tokens"],
    },
    "olmo": {
        "loss": ["train/CrossEntropyLoss"],
        "loss_component": ["train/ZLoss"],
        "train_metric": ["train/Perplexity"],
        "val_loss_component": ["eval/c4/CrossEntropyLoss"],
        "grad_norm": ["optim/total_grad_norm"],
        "lr": ["optim/learning_rate_group0"],
        "throughput": ["throughput/device/tokens_per_second"],
        "layer_grad_norm": ["grad/transformer.wte.weight.norm"],
        "other": [
            "optim/clipping_rate", "System/Peak GPU Memory (MB)", "param/transformer.wte.norm",
            "exp_avg/transformer.wte.norm", "step/transformer.wte.norm", "throughput/total_tokens",
        ],
    },
    "olmo-core": {
        "loss": ["train/CE loss"], "loss_component": ["train/Z loss"],
        "train_metric": ["train/PPL"],
        "val_loss_component": ["eval/c4/CE loss"], "grad_norm": ["optim/total grad norm"],
        "lr": ["optim/LR (group 0)"], "skipped_steps": ["optim/step skipped"],
        "throughput": ["throughput/device/TPS", "throughput/device/MFU"],
        "batch_size": ["train/global batch size"],
    },
    "composer": {
        "loss": ["loss/train/total"],
        "val_loss": ["metrics/eval/LanguageCrossEntropy"],
        "grad_norm": ["l2_norm/grad/global"],
        "layer_grad_norm": ["l2_norm/grad/blocks.0.attn"],
        "lr": ["lr-DecoupledAdamW/group0"],
        "epoch": ["time/epoch"],
        "throughput": ["throughput/tokens_per_sec", "throughput/device/mfu"],
        "other": ["l2_norm/param/blocks.0.attn", "l2_norm/moment/blocks.0.attn", "time/token"],
    },
    "nemo": {
        "loss": ["reduced_train_loss", "train_loss", "Loss:train/loss"],
        "grad_norm": ["grad_norm", "gradient_norm"],
        "weight_norm": ["parameter_norm"],
        "step_time": ["train_step_timing in s", "iteration_time"],
        "val_loss": ["val_loss", "validation_loss"],
        "val_metric": ["val_wer"],
        "train_metric": ["training_batch_wer"],
        "loss_component": ["t_mel_loss", "t_ctc_loss"],
        "other": ["consumed_samples"],
    },
    "litgpt": {
        "step_time": ["iter_time"], "val_metric": ["val_ppl"], "other": ["tokens", "total_tokens"],
    },
    "nanogpt": {"throughput": ["mfu"]},
    "fairseq": {
        "grad_norm": ["gnorm", "train_gnorm"], "loss": ["train_nll_loss"],
        "val_loss": ["valid_loss"],
        "throughput": ["wps", "ups"], "batch_size": ["bsz"], "train_metric": ["ppl"],
        "other": ["clip", "wall", "gb_free", "train_wall"],
    },
    "maxtext": {
        "loss": ["learning/loss"],
        "loss_component": ["learning/moe_lb_loss", "learning/mtp_loss"],
        "val_loss": ["eval/avg_loss"],
        "grad_norm": ["learning/raw_grad_norm", "learning/grad_norm"],
        "lr": ["learning/current_learning_rate"],
        "weight_norm": ["learning/param_norm"],
        "max_logit": ["learning/max_logits"],
        "step_time": ["perf/step_time_seconds"],
        "throughput": ["perf/per_device_tflops_per_sec", "perf/per_device_tokens_per_sec"],
    },
    "levanter": {
        "loss": ["train/loss", "train/cross_entropy_loss"],
        "val_loss": ["eval/loss"], "val_loss_component": ["eval/c4/loss"],
        "grad_norm": ["grad/norm/total"],
        "layer_grad_norm": ["grad/norm/embeddings.weight"],
        "update_norm": ["updates/norm/total"], "weight_norm": ["params/norm/total"],
        "lr": ["optim/learning_rate"], "epoch": ["train/current_epoch"],
        "throughput": ["throughput/tokens_per_second", "throughput/mfu"],
        "other": ["throughput/loading_time", "run_progress"],
    },
    "t5x": {
        "val_loss_component": ["training_eval/mix/loss"],
        # A root mean square is no norm.
        "other": ["weight_gradient_rms/decoder.kernel", "weight_update_rms/decoder.kernel"],
    },
    "big_vision": {
        "loss": ["training_loss"], "val_loss": ["val/loss"], "val_metric": ["val/prec@1"],
        "grad_norm": ["l2_grads"], "weight_norm": ["l2_params"], "update_norm": ["l2_updates"],
        "throughput": ["img/sec/core"],
        # The schedule is a multiplier, 1 at its peak: as a rate it would look far too high.
        "other": ["examples_seen", "global_schedule"],
    },
    "timm": {
        "loss": ["train_loss"], "val_loss": ["eval_loss"],
        "val_metric": ["eval_top1", "eval_top5"], "lr": ["lr"],
    },
    "open_clip": {
        "loss": ["train/loss"], "val_loss": ["val/clip_val_loss"], "lr": ["train/lr"],
        "other": ["train/scale", "train/logit_scale"], "throughput": ["train/samples_per_second"],
    },
    "fastai": {"loss": ["train_loss"], "val_loss": ["valid_loss"], "epoch": ["epoch"]},
    "kohya": {
        "loss": ["loss/current", "loss/average", "loss/epoch_average", "loss/epoch"],
        "val_loss": ["loss/validation/epoch_average"],
        "lr": ["lr/unet", "lr/textencoder", "lr/d*lr"],
        "grad_norm": ["norm/avg_grad_norm"], "other": ["max_norm/keys_scaled"],
    },
    "lerobot": {"grad_norm": ["grdn"], "step_time": ["updt_s"], "other": ["data_s"]},
    "garage": {
        "grad_norm": ["GradNorm/train", "policy/GradNorm"],
        "reward": ["Evaluation/AverageReturn"],
        "loss_component": ["policy/LossBefore", "policy/dLoss"],
        "other": ["TotalEnvSteps", "policy/KL"],
    },
    "ultralytics": {
        "loss_component": ["train/box_loss", "train/cls_loss", "train/dfl_loss"],
        "val_loss_component": ["val/box_loss", "val/cls_loss", "val/dfl_loss"],
        "val_metric": [
            "metrics/precision(B)", "metrics/recall(B)", "metrics/mAP50(B)", "metrics/mAP50-95(B)",
            "metrics/mAP_0.5", "metrics/mAP_0.5:0.95", "metrics/mAP50-95(M)",
        ],
        "lr": ["lr/pg0", "lr/pg2", "x/lr0"],
    },
    "detectron2": {
        "loss": ["total_loss"],
        "loss_component": ["loss_cls", "loss_box_reg", "loss_rpn_cls", "loss_mask"],
        "val_loss": ["validation_loss"], "val_metric": ["bbox/AP", "bbox/AP50"],
        "loss_scale": ["[metric]grad_scaler"],
        "other": ["eta_seconds", "rank_data_time", "data_time"],
    },
    "mmengine": {
        "loss": ["loss"], "loss_component": ["loss_bbox", "decode.loss_ce"],
        "val_metric": ["val/coco/bbox_mAP", "val/accuracy/top1", "val/bbox_mAP_50"],
        "lr": ["lr", "base_lr"], "other": ["memory", "data_time"],
    },
    "paddle": {
        "loss": ["TRAIN/loss"], "lr": ["TRAIN/lr"], "val_metric": ["EVAL/acc"],
        "other": ["EVAL/best_acc", "data_cost"], "step_time": ["batch_cost"],
        "throughput": ["ips"],
    },
    "nnunet": {"val_metric": ["ema_fg_dice", "mean_fg_dice"], "loss": ["train_losses"]},
    "skorch": {
        "loss": ["train_loss", "Loss/train_loss"], "val_loss": ["valid_loss", "Loss/valid_loss"],
        "val_metric": ["valid_acc", "Loss/valid_acc"], "train_metric": ["Loss/train_acc"],
        "lr": ["event_lr"],
    },
    "ignite": {"loss": ["training/batchloss"], "val_loss": ["validation/nll"]},
    "spacy": {"loss_component": ["LOSS NER"], "other": ["LOSS TOK2VEC", "LOSS TRANSFORMER"]},
    "tf-od": {
        "loss": ["Loss/total_loss"], "loss_component": ["Loss/classification_loss"],
        "throughput": ["steps_per_sec"],
    },
    "espnet": {
        "loss": ["train/loss"], "val_loss": ["valid/loss"], "grad_norm": ["grad_norm"],
        "loss_component": ["loss_ctc", "loss_att"], "loss_scale": ["loss_scale"],
        "lr": ["optim0_lr0"],
        "other": ["clip", "forward_time", "backward_time", "optim_step_time"],
    },
    "icefall": {
        "loss": ["train/current_loss", "train/tot_loss", "tot_loss"],
        "val_loss": ["train/valid_loss"],
        "lr": ["train/learning_rate"], "loss_scale": ["train/grad_scale", "grad_scale"],
        "epoch": ["train/epoch"],
    },
    "sb3": {
        "loss": ["train/loss"],
        "loss_component": [
            "train/policy_gradient_loss", "train/value_loss", "train/entropy_loss",
            "train/actor_loss", "train/critic_loss", "train/ent_coef_loss",
        ],
        "reward": ["rollout/ep_rew_mean", "eval/mean_reward"],
        "lr": ["train/learning_rate"],
        "throughput": ["time/fps"],
        "other": [
            "train/approx_kl", "train/clip_fraction", "rollout/ep_len_mean", "train/ent_coef",
            "train/explained_variance", "time/time_elapsed",
        ],
    },
    "baselines": {
        "reward": ["eprewmean", "episode_reward"], "other": ["eplenmean", "misc/nupdates"],
        "loss_component": ["loss/policy_loss", "loss/value_loss"],
    },
    "rllib": {
        "loss": ["learners/default_policy/total_loss"],
        "loss_component": ["learners/default_policy/policy_loss", "learners/p0/vf_loss"],
        "reward": [
            "objective/rlhf_reward", "env_runners/episode_return_mean", "episode_reward_mean",
        ],
        "grad_norm": [
            "learners/default_policy/gradients_default_optimizer_global_norm",
            "info/learner/default_policy/learner_stats/grad_gnorm", "grad_gnorm",
        ],
        "lr": [
            "learners/default_policy/default_optimizer_learning_rate", "cur_lr",
            "info/learner/default_policy/learner_stats/cur_lr",
        ],
        "other": ["curr_kl_coeff", "entropy"],
    },
    "rsl_rl": {
        "loss_component": ["Loss/value_function", "Loss/surrogate", "Loss/entropy"],
        "reward": ["Train/mean_reward"], "lr": ["Loss/learning_rate"],
        "throughput": ["Perf/total_fps"],
        "other": ["Policy/mean_noise_std", "Train/mean_episode_length", "Episode_Reward/alive"],
    },
    "cleanrl": {
        "loss_component": ["losses/policy_loss", "losses/value_loss", "losses/td_loss"],
        "reward": ["charts/episodic_return"], "lr": ["charts/learning_rate"],
        "throughput": ["charts/SPS"], "other": ["losses/approx_kl", "losses/clipfrac"],
    },
    "verl": {
        "loss_component": ["actor/pg_loss", "actor/kl_loss", "critic/vf_loss"],
        "reward": ["critic/rewards/mean", "critic/score/mean"],
        "grad_norm": ["actor/grad_norm"], "lr": ["actor/lr"],
        "other": ["actor/ppo_kl", "actor/pg_clipfrac", "response_length/clip_ratio"],
    },
    "stylegan": {
        "loss_component": ["Loss/G/loss", "Loss/D/loss", "Loss/r1_penalty"],
        "other": ["Progress/kimg", "Loss/scores/fake", "Loss/signs/real"],
    },
    "mae-dino": {
        "loss": ["train_loss"], "lr": ["train_lr"], "val_metric": ["test_acc1"],
        "val_loss": ["test_loss"], "other": ["train_wd", "n_parameters", "train_weight_decay"],
    },
    "allennlp": {
        "loss": ["training_loss"], "val_loss": ["validation_loss"],
        "train_metric": ["training_accuracy"], "val_metric": ["validation_accuracy"],
        "other": ["best_validation_loss", "best_epoch", "peak_worker_0_memory_MB"],
    },
    "chainer": {
        "loss": ["main/loss"], "val_loss": ["validation/main/loss"],
        "train_metric": ["main/accuracy"], "val_metric": ["validation/main/accuracy"],
    },
    "flair": {
        "loss": ["TRAIN_LOSS"], "val_loss": ["DEV_LOSS"],
        "val_metric": ["DEV_F1", "DEV_ACCURACY", "DEV_PRECISION", "DEV_RECALL"],
        "lr": ["LEARNING_RATE"], "other": ["BAD_EPOCHS"],
    },
    "sacred": {"loss": ["training.loss", "train.loss"], "val_loss": ["validation.loss"]},
}  # fmt: skip

CASES = [
    pytest.param(tag, role, id=f"{framework}: {tag}")
    for framework, roles in FRAMEWORKS.items()
    for role, tags in roles.items()
    for tag in tags
]


@pytest.mark.parametrize(("tag", "role"), CASES)
def test_every_name_of_a_framework_has_its_role(tag: str, role: str) -> None:
    assert role_of(tag).metric.value == role


def test_epoch_means_give_way_to_finer_losses() -> None:
    assert role_of("train_loss_epoch").coarse
    assert role_of("loss/epoch_average").coarse
    assert not role_of("train_loss_step").coarse
